// The MPI libraries of this machine, and which libstretto fits which.
#pragma once
#include "installation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::command {

struct Mpi {
    std::string name;                             // openmpi, openmpi5, mpich, mpich4, abi
    std::string version;                          // "Open MPI 4.1.4"
    std::string family;                           // openmpi4, openmpi5, mpich, abi
    std::filesystem::path library;                // libmpi.so.40
    std::filesystem::path mpirun;                 // the launcher that goes with it
    std::filesystem::path libstretto;             // empty where none was built
    std::filesystem::path mpicc, mpicxx, mpifort; // its compiler wrappers; empty where it has none for a language
};

// The MPIs that the set-up found. Empty where there was no set-up.
std::vector<Mpi> known_mpis(const Installation &installation);

// One of them by its name. Throws Failure with the nearest name.
Mpi known_mpi(const Installation &installation, const std::string &name);

// What an MPI library says of itself: "Open MPI v4.1.4, package: …". Empty where it says nothing.
std::string library_version(const std::filesystem::path &library);

// The name of the MPI whose libstretto fits a library; empty where it is none that Stretto is built for.
// Loading it, to ask, takes 45 ms of MPICH's: one that the set-up found, and that has not changed since, is known.
std::string name_of(const Installation &installation, const std::filesystem::path &library);

} // namespace stretto::command
