// The MPI library that the program uses: its functions by pointer, its predefined handles by address. Every file of the runtime
// includes this, never <mpi.h>: so libstretto has no undefined MPI symbol and loads into shells and launchers as well.
//
// MPI_COMM_WORLD, MPI_BYTE, ... may be written as usual once bind() succeeded; never in the initializer of a static
// variable, since with Open MPI they are addresses inside a library that is found only then.
#pragma once

#include <mpi.h>

#include <atomic>

#include "mpi/library_table.h" // generated: struct Library, struct Data, STRETTO_HAS_LARGE_COUNT where there are MPI_X_c

namespace stretto::mpi {

// library.Send(...) is the library's own PMPI_Send, which no tool and no wrapper of ours intercepts.
extern Library library;

// Find the MPI library among the loaded objects (also those loaded with RTLD_LOCAL), or load the one that STRETTO_LIBRARY names or
// that we were built for, and fill `library`. False, with the reason in why_not_bound(), where there is none. Any thread may call it, at any time.
bool bind();
const char *why_not_bound();

// For the wrappers, which may be called before MPI_Init and before any MPI library is loaded: bind, or end the process with
// a message that says what to do.
void bind_or_abort();
extern std::atomic<bool> bound;
inline void require() {
    if (__builtin_expect(!bound.load(std::memory_order_acquire), false)) bind_or_abort();
}

} // namespace stretto::mpi
