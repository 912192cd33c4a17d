// dilated.h: work as long as a core takes in a lab whose time is dilated: it sleeps most of it (work.h), and so leaves the real cores to others.
#pragma once
#include <errno.h>

#include "clock.h"

// Needs prctl(PR_SET_TIMERSLACK, 1UL). What one part slept too long, the next one sleeps less.
static inline void dilated_work(double seconds, double dilate) {
    static double overshoot;
    const double end = cpu_seconds() + seconds / dilate, due = now() + seconds - overshoot;
    while (cpu_seconds() < end) {
    }
    if (dilate > 1 && due > now()) {
        const struct timespec until = {(time_t)due, (long)((due - (double)(time_t)due) * 1e9)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        }
    }
    overshoot = dilate > 1 ? now() - due : 0;
}
