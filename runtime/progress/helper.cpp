#include "progress/helper.h"

#include "pages/quiet.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace stretto::progress::helper {

namespace {

// So many looks without anything new, and the next ones are twice as far apart.
constexpr unsigned patience = 4;
constexpr unsigned slowest = 64;

Found (*look)(double until_next) = nullptr;
std::int64_t period = 0;             // ns
std::atomic<std::int64_t> sooner{0}; // than that, if not 0
std::size_t least = SIZE_MAX;

pthread_t thread;
std::atomic<bool> there{false}, ends{false};
std::atomic<bool> rests{false}; // until the bell
std::atomic<unsigned> slowness{1};
sem_t bell;

void wait_for_bell() {
    while (sem_wait(&bell) != 0 && errno == EINTR) {
    }
}

std::int64_t next_look() {
    const std::int64_t wanted = sooner;
    return wanted > 0 ? std::min(wanted, period) : period;
}

// Has the bell rung meanwhile?
bool sleep(std::int64_t nanoseconds) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nanoseconds % 1'000'000'000;
    until.tv_sec += nanoseconds / 1'000'000'000 + until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    while (sem_clockwait(&bell, CLOCK_MONOTONIC, &until) != 0)
        if (errno != EINTR) return false;
    return true;
}

void *work(void *) {
    pthread_setname_np(pthread_self(), "stretto");
    unsigned in_vain = 0;
    for (;;) {
        const bool rung = sleep(next_look() * slowness);
        if (ends) return nullptr;
        if (rung) {
            in_vain = 0;
            continue;
        }
        rests = true; // what begins after this look rings
        switch (look(static_cast<double>(next_look()) * 1e-9)) {
        case Found::nothing:
            wait_for_bell();
            if (ends) return nullptr;
            [[fallthrough]];
        case Found::moved:
            slowness = 1;
            in_vain = 0;
            break;
        case Found::still:
            if (++in_vain % patience == 0) slowness = std::min(2 * slowness, slowest);
        }
        rests = false;
    }
}

void ring() {
    rests = false;
    slowness = 1;
    sem_post(&bell);
}

// The MPI library is there as long as it.
[[gnu::destructor]] void end_with_process() {
    stop();
}

void begin() {
    static const int once = [] {
        sem_init(&bell, 0, 0);
        // The parent's thread is not in the child.
        return pthread_atfork(nullptr, nullptr, [] { there = false; });
    }();
    static_cast<void>(once);
    const pages::Quiet quiet; // it inherits that
    ends = false;
    there = pthread_create(&thread, nullptr, work, nullptr) == 0;
    if (!there) least = SIZE_MAX; // then without
}

} // namespace

void enable(Found (*its_look)(double), double its_period, std::size_t more_than) {
    look = its_look;
    period = static_cast<std::int64_t>(its_period * 1e9);
    least = more_than;
}

bool enabled() {
    return least != SIZE_MAX;
}

void wanted(std::size_t bytes) {
    if (bytes <= least) [[likely]]
        return;
    if (!there)
        begin();
    else if (rests || slowness > 1)
        ring();
}

void look_within(double seconds) {
    sooner = static_cast<std::int64_t>(seconds * 1e9);
}

bool runs() {
    return there;
}

void stop() {
    if (!there || pthread_equal(pthread_self(), thread)) return;
    ends = true;
    ring();
    pthread_join(thread, nullptr);
    there = false;
}

} // namespace stretto::progress::helper
