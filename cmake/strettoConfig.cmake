# find_package(stretto REQUIRED COMPONENTS openmpi), with the names of `stretto info`: a target stretto::NAME for each MPI that Stretto
# was installed for. Link it before the MPI library:
#
#     find_package(MPI REQUIRED)
#     target_link_libraries(program PRIVATE stretto::openmpi MPI::MPI_C)
include(${CMAKE_CURRENT_LIST_DIR}/strettoTargets.cmake)
set(stretto_FOUND TRUE)
foreach(component IN LISTS stretto_FIND_COMPONENTS)
    if(TARGET stretto::${component})
        set(stretto_${component}_FOUND TRUE)
    elseif(stretto_FIND_REQUIRED_${component})
        set(stretto_FOUND FALSE)
        set(stretto_NOT_FOUND_MESSAGE "Stretto was not installed for the MPI '${component}'")
    endif()
endforeach()
