// work.h: work of a known length, on a core as slow as one likes.
//
// The paper's work is trigonometric: sin(i)^2 + cos(i)^2 (Bao et al. 2012, section III.A), which is 1 everywhere. Here the index is added, so
// that data in the wrong place shows.
#pragma once
#include <math.h>

extern double rounds_per_element; // may have a fraction: then some elements get a round more

// i plus about as many as it has rounds.
static inline double element(long i) {
    double v = (double)i;
    long k = (long)((double)i * rounds_per_element), end = (long)((double)(i + 1) * rounds_per_element);
    for (; k < end; k++) v += sin((double)k) * sin((double)k) + cos((double)k) * cos((double)k);
    return v;
}

extern long work_left; // elements until the next look at the plan
// There the core sleeps, when it is dilated. It reads and changes nothing that the program sees: a compiler need not fear it in a loop.
long rested(long left) __attribute__((const));

// To be called by a kernel for each element of work, or after every few. With `--dilate D` the real work is 1/D of the time, so four ranks of
// a machine ten times slower need 0.4 cores. The sleep has a fixed length, so what disturbs the work (a page fault) still counts in full.
inline void worked(long elements) {
    work_left -= elements;
    if (work_left <= 0) work_left = rested(work_left);
}

// The same where the plan's elements are worked on several times, a part of their work each time.
void worked_part(long elements, long parts);

// A program's step begins: until the next one this rank's work takes longer if it is the slow rank. Nobody is in the balanced case.
void work_step(long step);

// The same for work that cannot be made shorter: `cpu` seconds of it become D times as long.
void worked_seconds(double cpu);

// For the harness: total elements and the seconds that they should take, both per repetition; D.
void work_plan(long elements, double seconds, double dilate);
void work_finish(void); // sleeps what is left over, ends the step; before the clock is read

// Which rank is the slow one, whose work takes 20 % longer.
enum Imbalance { BALANCED, STATIC, ROTATING }; // nobody; rank 1; step by step another
void work_imbalance(enum Imbalance, int rank, int ranks);
