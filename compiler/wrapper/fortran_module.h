// The module mpi for flang. It cannot read the .mod files of gfortran, for which most MPIs are built; so it gets one that is made of
// the MPI's own mpif.h, once per MPI and flang, in the user's cache.
#pragma once
#include "command_line.h"
#include "compiler.h"
#include "mpi_flags.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::wrapper {

struct FortranModule {
    std::vector<std::string> compile; // flags with which flang finds mpif.h and the module
    std::string why_not;              // why there is no module mpi; empty where there is one
};

// Makes it where it is not there yet. Throws Failure where the cache cannot be written.
FortranModule fortran_module(const Compiler &compiler, const MpiFlags &flags);

// The folder of the module mdmp_calls for this flang, made likewise of include/stretto/mdmp_calls.F90; empty where that is not installed.
// Throws Failure.
std::filesystem::path module_of_mdmp(const command::Installation &installation, const Compiler &compiler);

// After flang has failed: is it because a source uses a module of this MPI that flang cannot read? One line, or empty.
std::string explanation(const CommandLine &line, const Compiler &compiler, const command::Mpi &mpi,
                        const MpiFlags &flags, const FortranModule &module);

} // namespace stretto::wrapper
