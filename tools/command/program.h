// What an executable file is: can libstretto be loaded into it, and which MPI library will it have?
#pragma once
#include <filesystem>
#include <string>

namespace stretto::command {

struct Program {
    std::filesystem::path path; // as exec would find it, a script's interpreter in place of the script
    std::filesystem::path
        mpi_library;          // the MPI library that it loads at its start, directly or through others; or empty
    bool has_stretto = false; // linked with libstretto already
};

// Finds a program as a shell would. Throws Failure where it does not exist, is no executable for this machine,
// or is linked statically, so that nothing can be loaded before it.
Program examine(const std::string &name);

} // namespace stretto::command
