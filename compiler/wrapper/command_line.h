// What the words of a compiler's command line ask for, and which of them are ours.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace stretto::wrapper {

// What is wrong with an option of ours. The exit status is 2, as that of `stretto` for a wrong command line.
struct Usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CommandLine {
    std::vector<std::string> words;           // for the compiler; ours are taken out
    std::vector<std::string> sources;         // files to compile, "-" for standard input
    std::vector<std::string> include_folders; // of -I, -J and -module-dir
    bool has_input = false;         // a source, an object or a library: else only the compiler itself is asked
    bool preprocesses_only = false; // -E, -M, -MM
    bool links = true;              // no -c, -S, -fsyntax-only and the like
    bool wants_help = false;

    std::string show;              // "-show", or the part of it that -showme:PART asks for; empty: do it
    std::string mpi;               // --mpi NAME
    std::string transform = "all"; // -fstretto=
    bool checks = false;           // -fstretto-check
    bool plain_directives = false; // -fmdmp=plain
};

// Reads the words after the wrapper's name. Response files (@FILE) are read, too; one with an option of ours is replaced by
// its words. Throws Usage.
CommandLine read_command_line(const std::vector<std::string> &words);

// With the words of response files in their place.
std::vector<std::string> expanded_words(const std::vector<std::string> &words);

} // namespace stretto::wrapper
