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
    std::string closed;       // why nothing can be loaded before it; empty where something can
};

// Finds a program as a shell would. Throws Failure where it does not exist, is no executable or lacks a library.
Program examine(const std::string &name);

// The MPI library that a program or an object loads at its start; or empty.
std::filesystem::path mpi_library_of(const std::filesystem::path &object);

} // namespace stretto::command
