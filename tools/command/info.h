// stretto info: what was found here, and what Stretto would do with it.
#pragma once
#include "installation.h"

#include <string>

namespace stretto::command {

void print_info(const Installation &installation, bool as_json);

// Starts a job of `ranks` ranks under an MPI and shows what libstretto decided in it. Throws Failure.
void print_decisions(const Installation &installation, const std::string &mpi, int ranks, bool as_json);

} // namespace stretto::command
