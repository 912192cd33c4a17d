# Kernels for `stretto bench --simulate`: each as a shared object with libstretto in it, of which each simulated rank has a copy.
function(add_simulated_kernel kernel)
    if(NOT TARGET mpi_simulated)
        return()
    endif()
    set(target simulated_${kernel})
    add_library(${target} MODULE EXCLUDE_FROM_ALL kernels/${kernel}.c ${harness} $<TARGET_OBJECTS:stretto_mpich_objects>)
    target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:mpi_mpich,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,stretto_ground,stretto_libc>" ${CMAKE_DL_LIBS} m)
    # Calls of MPI end in the copy that they are in; and a thousand copies hold no symbols for debuggers.
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic -Wl,-s)
    set_target_properties(${target} PROPERTIES
        PREFIX "" OUTPUT_NAME ${kernel} LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/simulated)
    add_dependencies(${target} mpi_simulated simulated-run)
    add_dependencies(simulated_kernels ${target})
endfunction()

add_custom_target(simulated_kernels)
foreach(kernel pair cascade ring reduce)
    add_simulated_kernel(${kernel})
endforeach()
