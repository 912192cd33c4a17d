/// The options of the pass: `-mllvm -stretto-...` where the plugin is loaded early (-Xclang -load), and in any case the environment variable
/// STRETTO_PASS_OPTIONS, with the same words separated by blanks, so that a wrapper can pass them to clang and flang alike.
#pragma once

#include "Calls.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace stretto::compiler::options {

/// Takes over the environment variable. What is wrong with it, or nothing.
std::string read_environment();

std::uint64_t strip_bytes(); // of a message that become ready at a time; 0: the runtime says
bool wants(Kind kind);
bool wants_collectives();
bool wants_directives();        // MDMP's are taken apart, not done at their place (-fmdmp=plain)
std::string what();             // as it was given
bool is_checked();              // -fstretto-check
std::string plan_file();        // empty: none is written
std::string rewritten_folder(); // empty: no source was rewritten

/// Does the user answer for it? Such a function is as harmless as sin().
bool is_harmless(llvm::StringRef function);

} // namespace stretto::compiler::options
