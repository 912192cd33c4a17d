# add_mpi_program(NAME SOURCES file... [STRETTO] [FORTRAN] [MPIS name...] [FOLDER folder] [LIBRARIES lib...] [LIBRARIES_EACH lib...] [DEFINITIONS d...] [TEST])
#
# Builds one MPI program for every MPI found (or those of MPIS), as FOLDER/MPI/NAME in the build tree; FOLDER is by default the
# name of the current source folder (bench, tests). With STRETTO it is linked with libstretto, before the MPI library; without,
# libstretto is not in its process. FORTRAN: sources are Fortran, and only MPIs that have it are built for.
# LIBRARIES_EACH: of each, lib_MPI. The targets are called NAME_MPI; the target NAME builds all, the target MPI all that is for this MPI.
# TEST: only tests need it; not MPI builds it, but tests_MPI.
function(add_mpi_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STRETTO;FORTRAN;TEST" "FOLDER" "SOURCES;MPIS;LIBRARIES;LIBRARIES_EACH;DEFINITIONS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
        message(FATAL_ERROR "add_mpi_program(${name}): SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
    endif()
    if(NOT arg_FOLDER)
        get_filename_component(arg_FOLDER ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    endif()
    set(goal "")
    if(arg_TEST)
        set(goal tests_)
    endif()
    set(possible ${STRETTO_MPIS})
    set(language "")
    if(arg_FORTRAN)
        set(possible ${STRETTO_FORTRAN_MPIS})
        set(language _fortran)
    endif()
    if(NOT TARGET ${name})
        add_custom_target(${name})
    endif()
    foreach(mpi IN LISTS possible)
        if(arg_MPIS AND NOT mpi IN_LIST arg_MPIS)
            continue()
        endif()
        set(target ${name}_${mpi})
        add_executable(${target} ${arg_SOURCES})
        add_dependencies(${name} ${target})
        add_dependencies(${goal}${mpi} ${target})
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${arg_FOLDER}/${mpi}
            Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/${arg_FOLDER}/${mpi}/${name}.modules)
        target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include)
        target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
        if(arg_STRETTO)
            # Itself, for what a library brings along comes after all that the program names.
            target_link_libraries(${target} PRIVATE stretto::${mpi} stretto::${mpi}${language})
        endif()
        list(TRANSFORM arg_LIBRARIES_EACH APPEND _${mpi} OUTPUT_VARIABLE each)
        target_link_libraries(${target} PRIVATE ${each} mpi::${mpi}${language} ${arg_LIBRARIES})
    endforeach()
endfunction()
