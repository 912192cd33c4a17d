# make install: headers, man pages, one libstretto per MPI (LIBDIR/stretto/MPI, with the Fortran module beside it), libnbc.a
# (LIBDIR/stretto), a CMake package and pkg-config files. The command and the lab install themselves (tools/).
include(CMakePackageConfigHelpers)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/stretto TYPE INCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md TYPE DOC)

install(TARGETS nbc ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stretto)
foreach(mpi IN LISTS STRETTO_MPIS)
    set_target_properties(stretto_${mpi} PROPERTIES EXPORT_NAME ${mpi})
    target_include_directories(stretto_${mpi} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    install(TARGETS stretto_${mpi} EXPORT stretto LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto/${mpi})
    if(mpi IN_LIST STRETTO_FORTRAN_MPIS)
        install(FILES ${CMAKE_BINARY_DIR}/lib/${mpi}/stretto.mod ${CMAKE_BINARY_DIR}/lib/${mpi}/mdmp_calls.mod
                DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto/${mpi})
    endif()

    string(JSON version GET "${mpis}" ${mpi} version)
    set(MPI ${mpi})
    set(MPI_VERSION_TEXT ${version})
    configure_file(${CMAKE_SOURCE_DIR}/cmake/stretto.pc.in ${CMAKE_BINARY_DIR}/stretto-${mpi}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/stretto-${mpi}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(EXPORT stretto NAMESPACE stretto:: FILE strettoTargets.cmake DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/strettoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/strettoConfig.cmake ${CMAKE_BINARY_DIR}/strettoConfigVersion.cmake
        DESTINATION ${package})
