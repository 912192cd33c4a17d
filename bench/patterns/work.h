// work.h: how long the work for a byte takes. It is so many rounds of arithmetic, the same in every job, and not so many seconds: what takes
// the core from a program, or its cache, shall make it slower.
#pragma once
#include <stdint.h>

struct Work {
    double rounds;           // for a byte; may have a fraction
    double seconds_of_round; // while all ranks work
    double dilate;           // the core is so many times slower: it sleeps the rest (docs/bench.md)
};

extern struct Work work;
extern uint64_t checksum; // of all that this rank has used
extern double worked;     // for so many bytes

void rest_before_timing(void); // sleeps what is left over
double measure_round(void);    // by all ranks at once
