// pages: what it costs to watch a buffer's pages, per delta, in microseconds, as one line of JSON. No MPI.
//
//   pages MECHANISM PAGES THREADS        mechanism: userfault or mprotect; pages of a delta; 2 threads: another one computes meanwhile
//
//   written_us   the sender: first writes, notice, question and re-arming, more than the same writes without a tracker
//   least_us     of that the kernel's: the same writes where a bare handler opens each delta's pages and closes those before
//   arrived_us   the receiver: a delta arrives and nobody waits for it
//   touched_us   the receiver: a delta is touched, and comes in that thread
//   copied_us    memcpy of a delta
//   *_begin_us, *_end_us   for the whole buffer of 4 MiB
#include "harness/clock.h"
#include "pages/guard.h"
#include "pages/memory.h"
#include "pages/tracker.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace {

using namespace stretto::pages;

constexpr std::size_t buffer_bytes = 4 << 20;
constexpr int samples = 31;

struct Medians {
    std::vector<double> seconds{};
    void add(double value) { seconds.push_back(value); }
    double microseconds(std::size_t of = 1) {
        std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
        return seconds[samples / 2] * 1e6 / static_cast<double>(of);
    }
};

char *buffer = nullptr;
std::vector<char> cell;
std::size_t delta = 0;
Tracker *tracker = nullptr;
Guard *guard = nullptr;

void touch_all(bool write) {
    for (std::size_t at = 0; at < buffer_bytes; at += page_bytes()) {
        auto *byte = static_cast<volatile char *>(buffer + at);
        if (write)
            *byte = 1;
        else
            static_cast<void>(*byte);
    }
}

//! The next delta comes, as progress would bring it.
void bring_next() {
    const std::size_t at = buffer_bytes - guard->missing();
    if (!guard->arrive(at, cell.data(), delta)) std::abort();
}

// What any tracker by faults costs: one fault for each delta, and two changes of protection.
void open_and_close(int, siginfo_t *fault, void *) {
    const auto offset = static_cast<std::size_t>(static_cast<char *>(fault->si_addr) - buffer);
    char *unit = buffer + offset / delta * delta;
    mprotect(unit, delta, PROT_READ | PROT_WRITE);
    if (unit != buffer) mprotect(unit - delta, delta, PROT_READ);
}

void measure_kernel(Medians &least) {
    struct sigaction bare {
    }, before{};
    bare.sa_sigaction = open_and_close;
    bare.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (int s = 0; s < samples; s++) {
        double t = now();
        touch_all(true);
        const double plain = now() - t;
        sigaction(SIGSEGV, &bare, &before);
        mprotect(buffer, buffer_bytes, PROT_READ);
        t = now();
        touch_all(true);
        least.add(now() - t - plain);
        mprotect(buffer, buffer_bytes, PROT_READ | PROT_WRITE);
        sigaction(SIGSEGV, &before, nullptr);
    }
}

void measure_tracker(Medians &begin, Medians &written, Medians &end) {
    double t = now();
    touch_all(true);
    const double plain = now() - t;
    t = now();
    tracker = Tracker::begin(buffer, buffer_bytes, delta);
    begin.add(now() - t);
    t = now();
    touch_all(true);
    written.add(now() - t - plain);
    t = now();
    if (tracker->end()) std::abort();
    end.add(now() - t);
}

void measure_guard(bool touches, Medians &begin, Medians &each) {
    double t = now();
    guard = Guard::begin(buffer, buffer_bytes);
    begin.add(now() - t);
    t = now();
    if (touches)
        touch_all(false);
    else
        while (guard->missing()) bring_next();
    each.add(now() - t);
    guard->end();
}

} // namespace

int main(int argc, char **argv) {
    const std::string mechanism = argc > 1 ? argv[1] : "";
    const std::size_t pages = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 0;
    delta = pages * page_bytes();
    if (argc != 4 || !delta || buffer_bytes % delta) return std::fprintf(stderr, "pages MECHANISM PAGES THREADS\n"), 2;
    const TrackingChoice tracking = choose_tracking(mechanism.c_str());
    const GuardingChoice guarding = choose_guarding(mechanism.c_str());
    if (tracking.tracking == Tracking::none || guarding.guarding == Guarding::block)
        return std::fprintf(stderr, "%s: %s%s\n", mechanism.c_str(), tracking.reason.c_str(), guarding.reason.c_str()),
               2;
    void *memory = mmap(nullptr, 2 * buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    buffer = static_cast<char *>(memory);
    madvise(buffer, 2 * buffer_bytes, MADV_NOHUGEPAGE);
    std::memset(buffer, 1, 2 * buffer_bytes);
    cell.assign(delta, 2);

    std::atomic<bool> over{false};
    std::thread other([&, computes = std::atoi(argv[3]) > 1] {
        for (volatile double x = 1; computes && !over;) x = x * 0.5 + 1;
    });
    Medians least;
    measure_kernel(least);
    Tracker::start(tracking.tracking, [] { tracker->take(); });
    Guard::start(guarding, [](stretto::Range, bool (*done)(void *), void *what) {
        while (!done(what)) bring_next();
    });
    Medians tracker_begin, written, tracker_end, guard_begin, arrived, touched, copied;
    for (int s = 0; s < samples; s++) {
        measure_tracker(tracker_begin, written, tracker_end);
        measure_guard(false, guard_begin, arrived);
        measure_guard(true, guard_begin, touched);
        const double t = now();
        for (std::size_t at = 0; at < buffer_bytes; at += delta) std::memcpy(buffer + at, cell.data(), delta);
        copied.add(now() - t);
    }
    over = true;
    other.join();
    const std::size_t deltas = buffer_bytes / delta;
    std::printf("{\"mechanism\":\"%s\",\"pages\":%zu,\"threads\":%s,\"written_us\":%.3g,\"least_us\":%.3g,\"arrived_"
                "us\":%.3g,\"touched_"
                "us\":%.3g,"
                "\"copied_us\":%.3g,\"tracker_begin_us\":%.3g,\"tracker_end_us\":%.3g,\"guard_begin_us\":%.3g}\n",
                mechanism.c_str(), pages, argv[3], written.microseconds(deltas), least.microseconds(deltas),
                arrived.microseconds(deltas), touched.microseconds(deltas), copied.microseconds(deltas),
                tracker_begin.microseconds(), tracker_end.microseconds(), guard_begin.microseconds());
    return 0;
}
