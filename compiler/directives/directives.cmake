# MDMP's directives in C and C++, one source for each clang that is found: lib/llvm-<N>/stretto_directives.so, which clang of that version
# loads (-fplugin=). Without it stretto-cc and stretto-c++ compile everything but files with directives.

# add_directives(VERSION), behind find_llvm()
function(add_directives version)
    if(version VERSION_LESS 19)
        return() # whose interface is another
    endif()
    if(NOT EXISTS ${llvm_include}/clang/Lex/Pragma.h)
        message(STATUS "clang ${version}: no headers in ${llvm_include} (libclang-${version}-dev), no directives in C and C++ by it")
        return()
    endif()
    set(target stretto_directives_${version})
    set(sources Calls.cpp Places.cpp Plugin.cpp Reader.cpp Types.cpp)
    list(TRANSFORM sources PREPEND directives/)
    add_library(${target} MODULE ${sources})
    # clang's headers are nearly all that a file takes.
    set_target_properties(${target} PROPERTIES OUTPUT_NAME stretto_directives UNITY_BUILD ON)
    compile_as_plugin(${target} ${version})
    target_compile_options(${target} PRIVATE -Wno-nonnull) # about a header of clang
    add_dependencies(stretto_passes ${target})
endfunction()
