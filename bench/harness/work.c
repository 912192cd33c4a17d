#include "work.h"

#include <errno.h>

#include "clock.h"
#include "timeline.h"

double rounds_per_element = 2;

static struct {
    double dilate;
    double rest_per_element; // seconds
    long piece;              // elements between two sleeps
    double pending;          // seconds to be slept
    long elements;           // worked since the last sleep
    double overshoot;        // how late the last sleep ended; the next one makes up for it
} core = {.dilate = 1};

void work_plan(long elements, double seconds, double dilate) {
    core.dilate = dilate;
    core.rest_per_element = seconds / (double)elements * (1 - 1 / dilate);
    // A piece of up to 4 KiB: longer ones would hold back the chunks of a small message, and a sleep much shorter than the
    // time that waking up takes would last longer than it should.
    static const double shortest_sleep = 80e-6;
    core.piece = elements / 16 < 64 ? 64 : elements / 16 > 512 ? 512 : elements / 16;
    if (dilate > 1 && (double)core.piece * core.rest_per_element < shortest_sleep) {
        double enough = shortest_sleep / core.rest_per_element, third = (double)elements / 3;
        core.piece = (long)(enough < third ? enough : third);
    }
}

static void rest(double seconds) {
    double due = now() + seconds - core.overshoot;
    if (due > now()) {
        struct timespec t = {(time_t)due, (long)((due - (double)(time_t)due) * 1e9)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
        }
    }
    core.overshoot = now() - due;
}

void worked(long elements) {
    if (core.dilate > 1) {
        core.elements += elements;
        core.pending += (double)elements * core.rest_per_element;
        if (core.elements >= core.piece) work_finish();
    }
    timeline_computed();
}

void worked_seconds(double cpu) {
    if (core.dilate > 1) {
        core.pending += cpu * (core.dilate - 1);
        if (core.pending > 0.2e-3) work_finish();
    }
    timeline_computed();
}

void work_finish(void) {
    if (core.pending > 0) rest(core.pending);
    core.pending = 0;
    core.elements = 0;
}
