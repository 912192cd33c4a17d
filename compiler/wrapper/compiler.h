// The clang or flang that does the work, and the plugin for its LLVM.
#pragma once
#include "installation.h"
#include "language.h"

#include <filesystem>
#include <string>

namespace stretto::wrapper {

struct Compiler {
    std::string name;                 // as it is called: clang-19, /opt/llvm/bin/clang
    std::filesystem::path path;       // where that is
    std::string version;              // "Debian clang version 19.1.7 (3~deb12u1)"
    int llvm = 0;                     // 19
    std::filesystem::path plugin;     // empty where none was built for this LLVM
    std::filesystem::path directives; // the plugin for MDMP's directives in C and C++, likewise
};

// The one that STRETTO_CC, STRETTO_CXX or STRETTO_FC names; else, of those in $PATH, the newest that has a plugin. Throws Failure.
Compiler find_compiler(const command::Installation &installation, Language language);

// Its plugin. Throws Failure with what to do where there is none.
std::filesystem::path plugin_of(const command::Installation &installation, const Compiler &compiler, Language language);

} // namespace stretto::wrapper
