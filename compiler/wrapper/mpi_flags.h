// The MPI of a program that is compiled, and the flags that its own compiler wrapper would add.
#pragma once
#include "language.h"
#include "mpi.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::wrapper {

// The MPI of this name (`stretto info` lists them), or, without a name, the one whose mpicc is in $PATH. Throws Failure.
command::Mpi choose_mpi(const command::Installation &installation, const std::string &name);

struct MpiFlags {
    std::vector<std::filesystem::path> include_folders;
    std::vector<std::string> compile; // includes, definitions
    std::vector<std::string> link;    // folders, libraries, and what goes to the linker as it is, in their order
};

// What its wrapper for this language says (`mpicc -show`), without what is for its own compiler only: a gfortran's -fallow-invalid-boz,
// warnings, optimisation. Throws Failure where it has no wrapper for the language, or this says nothing.
MpiFlags flags_of(const command::Mpi &mpi, Language language);

// What puts libstretto before the MPI library, where the program keeps it although it refers to nothing in it. Throws Failure where none was built.
std::vector<std::string> flags_of_libstretto(const command::Mpi &mpi);

} // namespace stretto::wrapper
