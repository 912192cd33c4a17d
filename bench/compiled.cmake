# What `stretto bench` measures by --trigger compiler and --trigger tool. `make compiled-kernels` builds it, and `make test`: with each MPI it
# takes a quarter of all steps.
add_custom_target(compiled_kernels)
foreach(mpi IN LISTS STRETTO_MPIS)
    add_custom_target(compiled_kernels_${mpi} DEPENDS ${mpi})
    add_dependencies(compiled_kernels compiled_kernels_${mpi})
endforeach()

# --trigger compiler, all by one clang or flang (another compiler's code would differ in more than its messages):
#
#     MPI/compiler/NAME            -fstretto=off, and without libstretto: plain, by hand
#     MPI/compiler/NAME.stretto    -fstretto=off: annotated
#     MPI/compiler/NAME.compiled   plain, as stretto-cc or stretto-fc makes it
set(clang)
set(flang)
set(plugins)
foreach(version IN LISTS STRETTO_LLVM) # the newest ones, as the wrappers take them
    if(TARGET stretto_pass_${version} AND TARGET stretto-cc AND NOT STRETTO_SANITIZER)
        list(APPEND plugins stretto_pass_${version} stretto_compiler_${version})
        find_program(clang_${version} NAMES clang-${version} HINTS /usr/lib/llvm-${version}/bin NO_CACHE)
        find_program(flang_${version} NAMES flang-${version} flang-new-${version} HINTS /usr/lib/llvm-${version}/bin NO_CACHE)
        if(clang_${version})
            set(clang ${clang_${version}})
        endif()
        if(flang_${version})
            set(flang ${flang_${version}})
        endif()
    endif()
endforeach()

# Functions that the compiler does not see, and the harness and FFTW answer for (-stretto-harmless). flang tells nobody what it knows of
# rested(); work.h has an attribute for it.
set(harmless -stretto-harmless=rested,fftw_execute_dft)

# add_compiled_kernel(NAME SOURCE file [FORTRAN] [LIBRARIES lib...] [DEFINITIONS name...])
function(add_compiled_kernel name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "FORTRAN" "SOURCE" "LIBRARIES;DEFINITIONS")
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE})
    list(TRANSFORM arg_DEFINITIONS PREPEND -D)
    # STRETTO_UNNOTED: the calls are MPI's, not those that note them.
    set(flags -O2 -g1 -DSTRETTO_UNNOTED -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR})
    set(possible ${STRETTO_MPIS})
    set(compiler ${clang})
    set(included)
    set(wrapper ${CMAKE_COMMAND} -E env STRETTO_CC=${clang} STRETTO_PASS_OPTIONS=${harmless} $<TARGET_FILE:stretto-cc>)
    if(arg_FORTRAN)
        set(possible ${STRETTO_FORTRAN_MPIS})
        set(compiler ${flang})
        set(included ${CMAKE_CURRENT_SOURCE_DIR}/harness/kernel.F90 ${CMAKE_SOURCE_DIR}/include/stretto/strettof.h)
        set(wrapper ${CMAKE_COMMAND} -E env STRETTO_FC=${flang} STRETTO_PASS_OPTIONS=${harmless}
            $<TARGET_FILE_DIR:stretto-cc>/stretto-fc)
    endif()
    if(NOT compiler)
        return()
    endif()
    foreach(mpi IN LISTS possible)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/compiler)
        set(program ${folder}/${name})
        set(linked $<TARGET_FILE:harness_${mpi}> ${arg_LIBRARIES} -lm -Wl,-rpath,$ORIGIN/../.. -Wl,-rpath,$<TARGET_FILE_DIR:mpi_${mpi}>)
        set(mpi_alone $<TARGET_FILE:mpi_${mpi}>)
        if(arg_FORTRAN)
            get_target_property(folders mpi_${mpi}_fortran INTERFACE_LINK_DIRECTORIES)
            get_target_property(libraries mpi_${mpi}_fortran INTERFACE_LINK_LIBRARIES)
            list(FILTER libraries EXCLUDE REGEX "::")
            list(TRANSFORM folders PREPEND -L)
            list(TRANSFORM libraries PREPEND -l)
            list(PREPEND mpi_alone ${folders} ${libraries})
        endif()
        foreach(kind .stretto .compiled "")
            set(output ${program}${kind})
            set(definition -DSTRETTO_PLAIN)
            set(transformed -fstretto=off)
            set(link ${wrapper} --mpi ${mpi})
            set(more)
            set(extras -MD -MF ${output}.d -MT ${output})
            set(depfile DEPFILE ${output}.d)
            if(arg_FORTRAN) # flang tells no dependencies
                set(extras -module-dir ${output}.modules)
                set(depfile)
                file(MAKE_DIRECTORY ${output}.modules)
            endif()
            if(kind STREQUAL .stretto)
                set(definition)
            elseif(kind STREQUAL .compiled)
                set(transformed)
            else()
                set(link ${compiler}) # without libstretto
                set(more ${mpi_alone})
            endif()
            add_custom_command(
                OUTPUT ${output}
                COMMAND ${wrapper} --mpi ${mpi} ${transformed} ${definition} ${arg_DEFINITIONS} ${flags} ${extras}
                        -c ${source} -o ${output}.o
                COMMAND ${link} ${output}.o ${linked} ${more} -o ${output}
                DEPENDS ${source} ${included} harness_${mpi} stretto_${mpi} stretto-cc ${plugins}
                ${depfile}
                COMMENT "Compiling ${mpi}/compiler/${name}${kind}" COMMAND_EXPAND_LISTS VERBATIM)
        endforeach()
        file(MAKE_DIRECTORY ${folder})
        set(programs ${program} ${program}.stretto ${program}.compiled)
        add_custom_target(${name}.compiled_${mpi} DEPENDS ${programs})
        add_dependencies(compiled_kernels_${mpi} ${name}.compiled_${mpi})
        install(PROGRAMS ${programs} DESTINATION ${CMAKE_INSTALL_LIBDIR}/stretto/${mpi}/bench/compiler OPTIONAL)
    endforeach()
endfunction()

# --trigger tool: plain, as `stretto annotate` changes its source, compiled by the build's own compilers.
#
#     annotated/NAME.c       the changed source, the same for each MPI
#     MPI/NAME.tool          the program
#
# add_kernel_by_tool(NAME SOURCE file [FORTRAN] [LIBRARIES lib...])
function(add_kernel_by_tool name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "FORTRAN" "SOURCE" "LIBRARIES")
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE})
    get_filename_component(suffix ${source} EXT)
    set(language)
    set(possible ${STRETTO_MPIS})
    set(compiler STRETTO_CC=${clang})
    set(found ${clang})
    if(arg_FORTRAN)
        set(language FORTRAN)
        set(possible ${STRETTO_FORTRAN_MPIS})
        set(compiler STRETTO_FC=${flang})
        set(found ${flang})
    endif()
    if(NOT found OR NOT possible)
        return()
    endif()
    list(GET possible 0 mpi) # of which the source names nothing
    set(annotated ${CMAKE_CURRENT_BINARY_DIR}/annotated/${name}${suffix})
    file(GLOB tool CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/annotate/*.py)
    file(GLOB included CONFIGURE_DEPENDS harness/*.h harness/*.F90)
    add_custom_command(
        OUTPUT ${annotated}
        COMMAND ${CMAKE_COMMAND} -E copy ${source} ${annotated}
        COMMAND ${CMAKE_COMMAND} -E env ${compiler} STRETTO_PASS_OPTIONS=${harmless} STRETTO_PREFIX=${CMAKE_BINARY_DIR}
                ${STRETTO_ENV}/python/bin/python ${CMAKE_SOURCE_DIR}/tools/annotate --quiet --write ${annotated} -- --mpi ${mpi}
                -DSTRETTO_UNNOTED -I${CMAKE_CURRENT_SOURCE_DIR}
        DEPENDS ${source} ${included} ${tool} stretto_${mpi} stretto-cc stretto_passes
        COMMENT "Annotating ${name}" VERBATIM)
    add_custom_target(${name}.annotated DEPENDS ${annotated}) # once, for all MPIs
    add_mpi_program(${name}.tool GOAL compiled_kernels SOURCES ${annotated} ${language} STRETTO LIBRARIES_EACH harness LIBRARIES ${arg_LIBRARIES})
    foreach(mpi IN LISTS possible)
        add_dependencies(${name}.tool_${mpi} ${name}.annotated)
    endforeach()
    install_programs(${name}.tool OPTIONAL)
endfunction()

# add_other_ways(NAME SOURCE file [FORTRAN] [LIBRARIES lib...]): by the compiler, and by the tool
function(add_other_ways name)
    add_compiled_kernel(${name} ${ARGN})
    add_kernel_by_tool(${name} ${ARGN})
endfunction()
