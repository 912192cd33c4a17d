// stretto run: starts a program with the libstretto that fits its MPI library.
#pragma once
#include "installation.h"

#include <string>
#include <vector>

namespace stretto::command {

// Becomes `words`, with LD_PRELOAD and STRETTO_LIBRARY set; where Stretto cannot go into them, plainly, and says why. `mpi` names the
// MPI where the program does not tell by itself, since it loads it late (Python); empty: find out. `report`: the file of the job's report;
// empty: none. Throws Failure.
[[noreturn]] void run(const Installation &installation, const std::vector<std::string> &words, const std::string &mpi,
                      const std::string &report);

} // namespace stretto::command
