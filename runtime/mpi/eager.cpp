#include "mpi/eager.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <numeric>
#include <sched.h>
#include <unistd.h>

namespace stretto::mpi {

namespace {

// Multiples of 32 (rule 5), just under the limits that libraries are known to have: a limit may count a header.
constexpr std::array<int, 10> sizes = {4032, 8128, 12256, 16320, 24544, 32704, 49088, 61408, 65408, 131008};
constexpr int rate_bytes = 512 * 1024;
constexpr int rate_tag = 100;

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Look at each request; how many are complete.
template <std::size_t n>
int look(std::array<MPI_Request, n> &requests, std::array<int, n> &complete) {
    int number = 0;
    for (std::size_t k = 0; k < n; k++) {
        if (!complete[k]) library.Test(&requests[k], &complete[k], MPI_STATUS_IGNORE);
        number += complete[k];
    }
    return number;
}

void barrier(MPI_Comm comm) {
    MPI_Request request;
    library.Ibarrier(comm, &request);
    for (int done = 0; !done; sched_yield()) library.Test(&request, &done, MPI_STATUS_IGNORE);
}

} // namespace

void prepare_transport() {
    setenv("FI_TCP_MAX_SAVED", "1000000", 0);
}

Link measure_links(MPI_Comm group, MPI_Comm everyone) {
    int rank = 0, size = 1;
    library.Comm_rank(group, &rank);
    library.Comm_size(group, &size);
    const bool alone = size == 1;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    auto buffer = std::make_unique<char[]>(2 * rate_bytes);

    // The rate first: it also sets the connections up. Fast links need more rounds before they show it, and have time for them.
    double best = 0, fastest = 0;
    for (int round = 0; round < 3 || (round < 16 && rate_bytes < 2e-3 * fastest); round++) {
        barrier(everyone);
        if (!alone) {
            const double start = now();
            MPI_Request requests[2];
            library.Irecv(buffer.get(), rate_bytes, MPI_BYTE, from, rate_tag, group, &requests[0]);
            library.Isend(buffer.get() + rate_bytes, rate_bytes, MPI_BYTE, to, rate_tag, group, &requests[1]);
            for (int done = 0; !done; sched_yield()) library.Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            best = std::max(best, rate_bytes / (now() - start));
        }
        library.Allreduce(&best, &fastest, 1, MPI_DOUBLE, MPI_MAX, everyone);
    }

    // Sends that nobody receives yet. Both sides call the library all the while, so that it can move what it will; by a receive of
    // something else, as a probe would make libfabric look further than a program that just waits.
    constexpr std::size_t n = sizes.size();
    std::array<MPI_Request, n> sends, receives;
    sends.fill(MPI_REQUEST_NULL);
    receives.fill(MPI_REQUEST_NULL);
    barrier(everyone);
    if (!alone)
        for (std::size_t k = 0; k < n; k++)
            library.Isend(buffer.get(), sizes[k], MPI_BYTE, to, static_cast<int>(k), group, &sends[k]);
    std::array<int, n> complete{}, came{};
    const double wire = alone ? 0 : std::accumulate(sizes.begin(), sizes.end(), 0) / best;
    int seen = 0, woken = 0;
    MPI_Request other = MPI_REQUEST_NULL;
    if (!alone) library.Irecv(nullptr, 0, MPI_BYTE, from, rate_tag, group, &other);
    for (double quiet = now(); !alone && now() - quiet < 0.01 + 2 * wire; sched_yield()) {
        library.Test(&other, &woken, MPI_STATUS_IGNORE);
        if (const int n = look(sends, complete); n > seen) seen = n, quiet = now();
    }
    barrier(everyone);
    look(sends, complete);
    MPI_Request wake = MPI_REQUEST_NULL;
    if (!alone) library.Isend(nullptr, 0, MPI_BYTE, to, rate_tag, group, &wake);
    for (int sent = 0; !(woken && sent); sched_yield()) {
        library.Test(&other, &woken, MPI_STATUS_IGNORE);
        library.Test(&wake, &sent, MPI_STATUS_IGNORE);
    }

    // Now the senders leave MPI, first the even ranks, then the odd ones, and the others receive: what comes needs nothing from its sender.
    constexpr double silence = 0.03;
    bool tested = false;
    for (int silent = 0; silent < 2; silent++) {
        barrier(everyone);
        if (rank % 2 == silent)
            usleep(static_cast<useconds_t>(silence * 1e6));
        else if (!alone) {
            tested = tested || from % 2 == silent;
            for (std::size_t k = 0; k < n; k++)
                library.Irecv(buffer.get() + rate_bytes, sizes[k], MPI_BYTE, from, static_cast<int>(k), group,
                              &receives[k]);
            for (const double start = now(); now() - start < silence / 2; sched_yield()) look(receives, came);
        }
    }
    barrier(everyone);
    if (!alone && size % 2 && rank == 0) // both ends of the last link are even
        for (std::size_t k = 0; k < n; k++)
            if (receives[k] == MPI_REQUEST_NULL && !came[k])
                library.Irecv(buffer.get() + rate_bytes, sizes[k], MPI_BYTE, from, static_cast<int>(k), group,
                              &receives[k]);
    for (int done = 0, sent = 0; !(done && sent); sched_yield()) {
        library.Testall(static_cast<int>(n), receives.data(), &done, MPI_STATUSES_IGNORE);
        library.Testall(static_cast<int>(n), sends.data(), &sent, MPI_STATUSES_IGNORE);
    }

    int eager = 0;
    for (std::size_t k = 0; k < n && came[k]; k++) eager = sizes[k];
    // The worst limit, of those who know; and what the library says of sends up to it.
    double opinion = tested ? -eager : -1e9, agreed;
    library.Allreduce(&opinion, &agreed, 1, MPI_DOUBLE, MPI_MAX, everyone);
    Link link;
    link.rate = fastest;
    link.eager = agreed <= -1e9 ? 0 : static_cast<std::size_t>(-agreed);
    int completes = 1, all = 1;
    for (std::size_t k = 0; k < n && !alone; k++)
        if (static_cast<std::size_t>(sizes[k]) <= link.eager) completes = completes && complete[k];
    library.Allreduce(&completes, &all, 1, MPI_INT, MPI_MIN, everyone);
    link.completes = all;
    return link;
}

} // namespace stretto::mpi
