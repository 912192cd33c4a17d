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

// Multiples of 32 (rule 5), just under the limits that libraries are known to have: a limit may count a header. All that are wanted are tried:
// MPICH 5's shared memory needs its sender for 8 KiB, and for 12 KiB does not.
constexpr std::array<int, 10> sizes = {4032, 8128, 12256, 16320, 24544, 32704, 49088, 61408, 65408, 131008};
constexpr std::size_t n = sizes.size();
constexpr int always_wanted = 16320;
// A size is tried if it takes no longer on its way than this, seconds: smaller deltas are as good (tune/delta_size.h).
constexpr double longest_way = 0.3e-3;

// The rate is that of the first of these messages that takes so long, seconds, or of the largest: one that is shorter says little.
constexpr int least_rate_bytes = 32 << 10, rate_bytes = 512 << 10;
constexpr double long_enough = 1e-3;

constexpr int rate_tag = 100, came_tag = 101, sleeps_tag = 102, awake_tag = 103;

// How long the eager limit takes. Where others have the cores, a look comes seldom, and what comes in time comes late.
struct Patience {
    double still;       // seconds without anything new after which the library has moved what it will
    int fewest_looks;   // meanwhile, unless that takes
    double longest;     // so many seconds
    useconds_t silence; // microseconds for which a sender does not call the library
};
constexpr std::array patiences = {Patience{0.5e-3, 50, 5e-3, 1'000}, Patience{1e-3, 100, 10e-3, 3'000},
                                  Patience{3e-3, 300, 30e-3, 10'000}, Patience{10e-3, 1000, 100e-3, 30'000}};
// Where a receiver had no core while its sender was silent, the above say nothing. Then these do.
constexpr std::array long_patiences = {Patience{10e-3, 1000, 100e-3, 100'000}, Patience{10e-3, 1000, 100e-3, 300'000},
                                       Patience{10e-3, 1000, 100e-3, 1'000'000}};

// A receiver that looked less often than this while its sender was silent does not know what would have come.
constexpr int fewest_looks_in_silence = 3;
constexpr int not_known = -1;

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What the library says of each size.
using Requests = std::array<MPI_Request, n>;
using Flags = std::array<int, n>;

// Look at each request; how many are complete.
int look(Requests &requests, Flags &complete) {
    for (std::size_t k = 0; k < n; k++)
        if (!complete[k]) library.Test(&requests[k], &complete[k], MPI_STATUS_IGNORE);
    return std::accumulate(complete.begin(), complete.end(), 0);
}

void wait(MPI_Request request) {
    for (int done = 0; !done; sched_yield()) library.Test(&request, &done, MPI_STATUS_IGNORE);
}

void wait_for_all(Requests &requests, Flags complete) {
    while (look(requests, complete) < static_cast<int>(n)) sched_yield();
}

// Every rank of `group` has a link to the next one; all ranks of `everyone` measure at a time.
class Links {
public:
    Links(const std::vector<int> &group, MPI_Comm everyone) : everyone(everyone) {
        int own = 0;
        library.Comm_rank(everyone, &own);
        const std::size_t size = group.size();
        const auto place = static_cast<std::size_t>(std::find(group.begin(), group.end(), own) - group.begin());
        alone = size == 1;
        listens = place % 2 == 1;
        sends = !listens && place + 1 < size;
        to = group[(place + 1) % size];
        from = group[(place + size - 1) % size];
        // Used, so that no page of it is missing when the time is taken.
        for (auto *bytes : {&out, &in}) bytes->assign(rate_bytes, 0);
    }

    // The best link's, in bytes per second; 0 if all are alone. It also sets the connections up. From `fast` on it does not matter.
    double rate(double fast);

    // The worst link's limit, as far as sizes up to so many bytes can say, and what the library says of sends up to it. To be asked after the
    // rate.
    Link eager(int largest);

private:
    // From each rank to the next; the best rate of all until now, which all learn at a time: the next round begins together.
    double round(int bytes);
    // Looks at the links from even ranks to odd ones. The bytes that this rank knows to be eager, or not_known; `complete`: those that were
    // sent and which the library has said to be complete.
    int even_to_odd(int largest, const Patience &patience, Flags &complete);
    void send(int largest, const Patience &patience, Flags &complete);
    int receive(int largest);
    // Looks at all links once. False where another look, a longer one, may find more: not all know, less than all that are known hold, or
    // not what the library says that it has sent.
    bool settles(int largest, const Patience &patience);

    double worst(double mine) const {
        double all = 0;
        library.Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, everyone);
        return all;
    }

    MPI_Comm everyone;
    int to = 0, from = 0; // ranks of everyone
    bool alone = true;
    bool sends = false, listens = false; // where eager limits are looked for
    double best = 0;                     // bytes per second of our link
    int agreed = not_known;              // bytes: what all links hold, by the last look that knew
    bool completes = true;               // what that look saw of this rank's sends that are eager
    std::vector<char> out, in;
};

// The sender's time, until it is told that all has come: a receiver that begins late finds the bytes before it, and would take them for fast.
double Links::round(int bytes) {
    if (!alone) {
        const double start = now();
        MPI_Request all[2], told[2];
        library.Irecv(in.data(), bytes, MPI_BYTE, from, rate_tag, everyone, &all[0]);
        library.Irecv(nullptr, 0, MPI_BYTE, to, came_tag, everyone, &told[0]);
        library.Isend(out.data(), bytes, MPI_BYTE, to, rate_tag, everyone, &all[1]);
        wait(all[0]);
        library.Isend(nullptr, 0, MPI_BYTE, from, came_tag, everyone, &told[1]);
        wait(told[0]);
        best = std::max(best, bytes / (now() - start));
        wait(all[1]), wait(told[1]);
    }
    return -worst(-best);
}

double Links::rate(double fast) {
    round(1); // connections
    int bytes = least_rate_bytes;
    double fastest = 0;
    for (;; bytes *= 4) {
        best = 0;
        fastest = round(bytes);
        if (fastest == 0 || bytes / fastest >= long_enough || bytes >= rate_bytes) break;
    }
    // Once more at least. Fast links need more rounds before they show it, and have time for them.
    for (int rounds = 1; fastest > 0 && fastest < fast; rounds++) {
        const double before = fastest;
        fastest = round(bytes);
        const bool is_slow = bytes < rate_bytes || bytes >= 2e-3 * fastest;
        if (rounds >= 16 || (is_slow && (rounds >= 3 || fastest < 1.25 * before))) break;
    }
    return fastest;
}

// Sends that nobody receives yet, while both sides call the library, so that it can move what it will. Then this one does not any more.
void Links::send(int largest, const Patience &patience, Flags &complete) {
    Requests sends;
    sends.fill(MPI_REQUEST_NULL);
    double wire = 0;
    for (std::size_t k = 0; k < n && sizes[k] <= largest; k++) {
        library.Isend(out.data(), sizes[k], MPI_BYTE, to, static_cast<int>(k), everyone, &sends[k]);
        wire += sizes[k] / best;
    }
    int seen = 0, looks = 0;
    for (double quiet = now(), since = 0;; sched_yield(), since = now() - quiet, looks++) {
        const double on_its_way = seen == static_cast<int>(n) ? 0 : 1.5 * wire;
        if (since > patience.still + on_its_way && (looks > patience.fewest_looks || since > patience.longest)) break;
        if (const int some = look(sends, complete); some > seen) seen = some, quiet = now(), looks = 0;
    }
    MPI_Request sleeps, awake;
    library.Isend(nullptr, 0, MPI_BYTE, to, sleeps_tag, everyone, &sleeps);
    wait(sleeps); // what is complete by now may be so as it is received
    usleep(patience.silence);
    library.Isend(nullptr, 0, MPI_BYTE, to, awake_tag, everyone, &awake);
    wait(awake);
    wait_for_all(sends, complete);
}

// What comes while its sender sleeps needs nothing from it. Until then by a receive of something else, as a probe would make libfabric look
// further than a program that just waits.
int Links::receive(int largest) {
    MPI_Request sleeps, awake;
    library.Irecv(nullptr, 0, MPI_BYTE, from, sleeps_tag, everyone, &sleeps);
    library.Irecv(nullptr, 0, MPI_BYTE, from, awake_tag, everyone, &awake);
    wait(sleeps);
    Requests receives;
    receives.fill(MPI_REQUEST_NULL);
    Flags came{};
    std::size_t tried = 0;
    for (; tried < n && sizes[tried] <= largest; tried++)
        library.Irecv(in.data(), sizes[tried], MPI_BYTE, from, static_cast<int>(tried), everyone, &receives[tried]);
    int looks = 0;
    for (int is_awake = 0;; sched_yield(), looks++) {
        library.Test(&awake, &is_awake, MPI_STATUS_IGNORE);
        if (is_awake) break; // what is seen from here on, its sender may have helped
        look(receives, came);
    }
    int held = 0;
    for (std::size_t k = 0; k < tried && came[k]; k++) held = sizes[k];
    const bool all_came = tried > 0 && came[tried - 1];
    wait_for_all(receives, came);
    return all_came || looks >= fewest_looks_in_silence ? held : not_known;
}

int Links::even_to_odd(int largest, const Patience &patience, Flags &complete) {
    if (listens) return receive(largest);
    if (sends) send(largest, patience, complete);
    return largest;
}

bool Links::settles(int largest, const Patience &patience) {
    Flags complete{};
    const int all = static_cast<int>(worst(even_to_odd(largest, patience, complete)));
    if (all == not_known) return false;
    agreed = all;
    completes = true;
    bool told = false, enough = true;
    for (std::size_t k = 0; k < n && sends && sizes[k] <= largest; k++) {
        const bool is_eager = sizes[k] <= agreed;
        told = told || complete[k];
        enough = enough && complete[k] == is_eager;
        completes = completes && (complete[k] || !is_eager);
    }
    // A library that waits for the receiver's answer says nothing.
    enough = agreed >= always_wanted && (enough || !told);
    return worst(enough) > 0;
}

Link Links::eager(int largest) {
    for (const Patience &patience : patiences)
        if (settles(largest, patience)) break;
    for (const Patience &patience : long_patiences)
        if (agreed == not_known) settles(largest, patience);
    return {.eager = static_cast<std::size_t>(std::max(agreed, 0)), .completes = worst(completes) > 0};
}

} // namespace

void prepare_transport() {
    setenv("FI_TCP_MAX_SAVED", "1000000", 0);
}

Link measure_links(const std::vector<int> &group, MPI_Comm everyone, double fast, std::size_t wanted) {
    Links links(group, everyone);
    const double rate = links.rate(fast);
    if (rate == 0) return {};
    if (rate >= fast) return {.eager = 0, .rate = rate};
    const double useful = std::max<double>({always_wanted, rate * longest_way, static_cast<double>(wanted)});
    Link link = links.eager(static_cast<int>(std::min<double>(useful, sizes.back())));
    link.rate = rate;
    return link;
}

} // namespace stretto::mpi
