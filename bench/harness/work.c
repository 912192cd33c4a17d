#include "work.h"

#include <errno.h>

#include "clock.h"
#include "timeline.h"

double rounds_per_element = 2;

enum { PART = 64 }; // elements between two looks at the plan
long work_left = PART;

static const double IMBALANCE = 0.2;

static struct {
    double dilate;
    double rest_per_element; // seconds
    double whole_per_element;
    long piece;       // elements between two sleeps
    double pending;   // seconds to be slept
    long elements;    // worked since the last sleep
    double overshoot; // how late the last sleep ended; the next one makes up for it
} core = {.dilate = 1};

static struct {
    enum Imbalance kind;
    int rank, ranks;
    double longer; // this rank's work takes in this step, as a part of it
} slow;

void work_plan(long elements, double seconds, double dilate) {
    core.dilate = dilate;
    core.whole_per_element = seconds / (double)elements;
    core.rest_per_element = core.whole_per_element * (1 - 1 / dilate);
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

static void spin(double seconds) {
    const double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end) {
    }
}

static void rest_now(void) {
    if (core.pending > 0) core.dilate > 1 ? rest(core.pending) : spin(core.pending);
    core.pending = 0;
    core.elements = 0;
}

static void count_in(long elements) {
    if (core.dilate > 1 || slow.longer > 0) {
        core.elements += elements;
        core.pending += (double)elements * (core.rest_per_element + slow.longer * core.whole_per_element);
    }
}

// What worked() has not told yet.
static void count_in_the_rest(void) {
    count_in(PART - work_left);
    work_left = PART;
}

long rested(long left) {
    count_in(PART - left);
    if (core.elements >= core.piece) rest_now();
    timeline_computed();
    return PART;
}

extern inline void worked(long elements); // for Fortran

void worked_part(long elements, long parts) {
    static long pending;
    pending += elements;
    if (pending < parts) return;
    worked(pending / parts);
    pending %= parts;
}

void worked_seconds(double cpu) {
    if (core.dilate > 1) {
        core.pending += cpu * (core.dilate - 1);
        if (core.pending > 0.2e-3) rest_now();
    }
    timeline_computed();
}

void work_imbalance(enum Imbalance kind, int rank, int ranks) {
    slow.kind = kind;
    slow.rank = rank;
    slow.ranks = ranks;
}

void work_step(long step) {
    count_in_the_rest();
    const long whose = slow.kind == BALANCED ? -1 : slow.kind == STATIC ? 1 : step % slow.ranks;
    slow.longer = slow.rank == whose ? IMBALANCE : 0;
}

void work_finish(void) {
    count_in_the_rest();
    rest_now();
    slow.longer = 0;
}
