// Programs that load MPI late, if at all: shells, Pythons, what starts another program. Which MPI will they have?
#pragma once
#include "mpi.h"
#include "program.h"

#include <filesystem>
#include <optional>

namespace stretto::command {

// The MPI library that the mpi4py of a Python was built for. Empty for other programs, and for mpi4py's wheels, which take what
// they find.
std::filesystem::path mpi_library_of_mpi4py(const Program &program);

// The MPI whose launcher started this process, or the only one that Stretto was built for.
std::optional<Mpi> launching_mpi(const Installation &installation);

// Is this the rank that speaks for all? True as well outside a job.
bool first_rank();

// What mpi4py's wheel calls the ABI of an MPI, in MPI4PY_MPIABI.
std::string mpi4py_abi(const std::string &mpi);

} // namespace stretto::command
