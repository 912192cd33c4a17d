// libsleepy_waits.so (LD_PRELOAD): an MPI rank that waits sleeps instead of spinning.
//
// Ranks share cores in the lab, and an MPI library waits by polling: a waiting rank takes the core from a
// computing one, which no cluster would do. This library makes a *wait* cheap and leaves all else alone.
//
// Every MPI over TCP asks the kernel for news without waiting: poll() or epoll_wait() with a timeout of 0,
// between calls of sched_yield(). We count such calls that brought nothing and came in a tight row. After
// SPIN of them the next zero-timeout poll really waits, for at most CAP, on the very descriptors and events
// that the library asked for; so data, or room to send, end it at once. CAP bounds the harm when something
// else than these descriptors would have ended the wait (another thread, shared memory).
//
// A call that comes more than GAP after the one before means that the program computed in between (it tests
// while it computes): the count starts again. So MPI_Test between pieces of work longer than GAP never sleeps,
// and a loop over MPI_Test with nothing in between does.
//
//   SLEEPY_WAITS_SPIN=24  SLEEPY_WAITS_GAP_US=10  SLEEPY_WAITS_CAP_MS=1
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Straight to the kernel: other libraries poll before a constructor of ours could look anything up.
static int kernel_poll(struct pollfd *descriptors, nfds_t count, int timeout_ms) {
    return (int)syscall(SYS_poll, descriptors, count, timeout_ms);
}
static int kernel_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms) {
    return (int)syscall(SYS_epoll_wait, epoll, events, most, timeout_ms);
}

static int spin_limit = 24, cap_ms = 1;
static long long gap_ns = 10000;

static _Thread_local int idle_calls;      // tight, fruitless calls in a row
static _Thread_local long long last_call; // when the last of them returned, ns

static int option(const char *name, int otherwise) {
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

__attribute__((constructor)) static void start(void) {
    spin_limit = option("SLEEPY_WAITS_SPIN", spin_limit);
    gap_ns = option("SLEEPY_WAITS_GAP_US", 10) * 1000LL;
    cap_ms = option("SLEEPY_WAITS_CAP_MS", cap_ms);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// A call begins that would not wait: for how long may it, in ms?
static int patience(void) {
    if (now() - last_call > gap_ns) idle_calls = 0;
    return ++idle_calls > spin_limit ? cap_ms : 0;
}

// That call ends, with so many events (or -1).
static int answer(int events) {
    if (events != 0) idle_calls = 0;
    last_call = now();
    return events;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms) {
    if (timeout_ms != 0) return kernel_poll(descriptors, count, timeout_ms);
    return answer(kernel_poll(descriptors, count, patience()));
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms) {
    if (timeout_ms != 0) return kernel_epoll_wait(epoll, events, most, timeout_ms);
    return answer(kernel_epoll_wait(epoll, events, most, patience()));
}

int sched_yield(void) {
    patience(); // counts, but has no descriptors to sleep on
    int result = (int)syscall(SYS_sched_yield);
    answer(0);
    return result;
}
