#include "mpi/eager.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace stretto::mpi {

namespace {

// Multiples of 32 (rule 5), just under the limits that libraries are known to have: a limit may count a header. All of them are tried:
// MPICH 5's shared memory needs its sender for 8 KiB, and for 12 KiB does not.
constexpr std::array<int, 10> sizes = {4032, 8128, 12256, 16320, 24544, 32704, 49088, 61408, 65408, 131008};
constexpr std::size_t n = sizes.size();
constexpr int rate_bytes = 512 * 1024;
constexpr int rate_tag = 100;

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Every rank of `group` has a link to the next one; all ranks of `everyone` measure at a time.
class Links {
public:
    Links(MPI_Comm group, MPI_Comm everyone) : group(group), everyone(everyone) {
        library.Comm_rank(group, &rank);
        library.Comm_size(group, &size);
        alone = size == 1;
        to = (rank + 1) % size;
        from = (rank + size - 1) % size;
        // Used, so that no page of it is missing when the time is taken.
        for (auto *bytes : {&out, &in}) bytes->assign(rate_bytes, 0);
    }

    // The best link's, in bytes per second; 0 if all are alone. It also sets the connections up. Fast links need more rounds before they
    // show it, and have time for them; from `fast` on it does not matter.
    double rate(double fast);

    // The worst link's limit, and what the library says of sends up to it. To be asked after the rate.
    Link eager();

private:
    void barrier() const {
        MPI_Request request;
        library.Ibarrier(everyone, &request);
        for (int done = 0; !done; sched_yield()) library.Test(&request, &done, MPI_STATUS_IGNORE);
    }

    double worst(double mine) const {
        double all = 0;
        library.Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, everyone);
        return all;
    }

    MPI_Comm group, everyone;
    int rank = 0, size = 1, to = 0, from = 0;
    bool alone = true;
    double best = 0; // bytes per second of our link
    std::vector<char> out, in;
};

double Links::rate(double fast) {
    double fastest = 0;
    for (int round = 0; fastest < fast && (round < 3 || (round < 16 && rate_bytes < 2e-3 * fastest)); round++) {
        barrier();
        if (!alone) {
            const double start = now();
            MPI_Request requests[2];
            library.Irecv(in.data(), rate_bytes, MPI_BYTE, from, rate_tag, group, &requests[0]);
            library.Isend(out.data(), rate_bytes, MPI_BYTE, to, rate_tag, group, &requests[1]);
            for (int done = 0; !done; sched_yield()) library.Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            best = std::max(best, rate_bytes / (now() - start));
        }
        fastest = -worst(-best);
    }
    return fastest;
}

// Look at each request; how many are complete.
int look(std::array<MPI_Request, n> &requests, std::array<int, n> &complete) {
    for (std::size_t k = 0; k < n; k++)
        if (!complete[k]) library.Test(&requests[k], &complete[k], MPI_STATUS_IGNORE);
    return std::accumulate(complete.begin(), complete.end(), 0);
}

Link Links::eager() {
    std::array<MPI_Request, n> sends, receives;
    sends.fill(MPI_REQUEST_NULL);
    receives.fill(MPI_REQUEST_NULL);
    std::array<int, n> complete{}, came{};

    // Sends that nobody receives yet. Both sides call the library all the while, so that it can move what it will; by a receive of
    // something else, as a probe would make libfabric look further than a program that just waits.
    barrier();
    if (!alone)
        for (std::size_t k = 0; k < n; k++)
            library.Isend(out.data(), sizes[k], MPI_BYTE, to, static_cast<int>(k), group, &sends[k]);
    const double wire = alone ? 0 : std::accumulate(sizes.begin(), sizes.end(), 0) / best;
    int woken = 0;
    MPI_Request other = MPI_REQUEST_NULL;
    if (!alone) library.Irecv(nullptr, 0, MPI_BYTE, from, rate_tag, group, &other);
    // Where others have the cores, a look comes seldom, and says less.
    constexpr double still = 0.01, longest = 0.1;
    constexpr int fewest_looks = 1000;
    int seen = 0, looks = 0;
    for (double quiet = now(), since = 0; !alone; sched_yield(), since = now() - quiet, looks++) {
        if (since > still + 2 * wire && (looks > fewest_looks || since > longest)) break;
        library.Test(&other, &woken, MPI_STATUS_IGNORE);
        if (const int some = look(sends, complete); some > seen) seen = some, quiet = now(), looks = 0;
    }
    barrier();
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
        barrier();
        if (rank % 2 == silent)
            usleep(static_cast<useconds_t>(silence * 1e6));
        else if (!alone) {
            tested = tested || from % 2 == silent;
            for (std::size_t k = 0; k < n; k++)
                library.Irecv(in.data(), sizes[k], MPI_BYTE, from, static_cast<int>(k), group, &receives[k]);
            for (const double start = now(); now() - start < silence / 2; sched_yield()) look(receives, came);
        }
    }
    barrier();
    for (int done = 0, sent = 0; !(done && sent); sched_yield()) {
        library.Testall(static_cast<int>(n), receives.data(), &done, MPI_STATUSES_IGNORE);
        library.Testall(static_cast<int>(n), sends.data(), &sent, MPI_STATUSES_IGNORE);
    }

    // The last link of an odd number of ranks has two even ends, and is not tested.
    int held = tested ? 0 : sizes.back();
    for (std::size_t k = 0; k < n && came[k]; k++) held = sizes[k];
    const double agreed = worst(held);
    bool completes = true;
    for (std::size_t k = 0; k < n && !alone && sizes[k] <= agreed; k++) completes = completes && complete[k];
    Link link;
    link.eager = static_cast<std::size_t>(agreed);
    link.completes = worst(completes) > 0;
    return link;
}

} // namespace

void prepare_transport() {
    setenv("FI_TCP_MAX_SAVED", "1000000", 0);
}

Link measure_links(MPI_Comm group, MPI_Comm everyone, double fast) {
    Links links(group, everyone);
    const double rate = links.rate(fast);
    if (rate == 0) return {};
    if (rate >= fast) return {.eager = 0, .rate = rate};
    Link link = links.eager();
    link.rate = rate;
    return link;
}

} // namespace stretto::mpi
