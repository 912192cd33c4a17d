# What makes a build quick, where it is on this machine: ccache, for what was compiled before, here or in another clone of the same
# sources, and mold, a linker. Neither changes what is built.
find_program(CCACHE ccache)
find_program(MOLD mold)
mark_as_advanced(CCACHE MOLD)

if(CCACHE)
    # Paths below this folder count as relative to it, so that clones share what they compile. Precompiled headers need the rest.
    set(ccache ${CMAKE_CURRENT_LIST_DIR}/cached env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
    set(CMAKE_C_COMPILER_LAUNCHER ${ccache} CCACHE_NOHASHDIR=1 ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    endif()
endif()
if(MOLD)
    add_link_options(-fuse-ld=mold)
endif()
