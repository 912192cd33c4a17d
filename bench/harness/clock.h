// clock.h: one clock. All hosts of the lab run on one kernel, so CLOCK_MONOTONIC is the same on every rank.
#pragma once
#include <time.h>

static inline double clock_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static inline double now(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}
static inline double cpu_seconds(void) {
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}
