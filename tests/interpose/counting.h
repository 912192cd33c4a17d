// libstretto_count: the wrappers of libstretto with counts in place of the protocol, to see which calls come to us, and how.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "front/entry.h"
#include "mpi/library.h"

namespace stretto::counting {

struct Calls {
    const char *name;
    std::atomic<long> mpi, pmpi, nested;
};

extern Calls calls[];
extern const int functions;

inline void count(Calls &calls, std::atomic<long> Calls::*name) {
    mpi::require();
    (front::nested() ? calls.nested : calls.*name).fetch_add(1, std::memory_order_relaxed);
}

// With STRETTO_CALLS=PREFIX each process writes PREFIX.PID: a line per function, its calls as MPI_, as PMPI_, and nested.
__attribute__((destructor, used)) static void report() {
    const char *prefix = std::getenv("STRETTO_CALLS");
    if (!prefix || !mpi::bound) return;
    char path[4096];
    std::snprintf(path, sizeof path, "%s.%d", prefix, static_cast<int>(getpid()));
    FILE *file = std::fopen(path, "w");
    if (!file) return;
    for (int i = 0; i < functions; ++i) {
        const Calls &c = calls[i];
        if (c.mpi + c.pmpi + c.nested)
            std::fprintf(file, "%s %ld %ld %ld\n", c.name, c.mpi.load(), c.pmpi.load(), c.nested.load());
    }
    std::fclose(file);
}

// Whether the runtime, in its own object, means the same by these handles as the program.
extern "C" STRETTO_PUBLIC inline __attribute__((used)) int stretto_handles_are(MPI_Comm world, MPI_Datatype byte,
                                                                               MPI_Request null) {
    return world == MPI_COMM_WORLD && byte == MPI_BYTE && null == MPI_REQUEST_NULL;
}

} // namespace stretto::counting
