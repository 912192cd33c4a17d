/* What the random programs share. driver.c has the rest. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <mpi.h>
#ifdef STRETTO_MDMP_DIRECTIVES
#include <stretto/mdmp.h>
#endif
#include <stdlib.h>
#include <string.h>

#define NOINLINE static __attribute__((noinline, unused))
#define INLINE static inline __attribute__((unused))

struct cell {
    double x;
    int k, m;
};

/* Of no compiler known: it is in another file. */
extern unsigned char fuzz_table[65536];
extern MPI_Comm fuzz_comm;
int fuzz_int(int value);         /* value */
void fuzz_work(void *memory);    /* touches nothing */
void fuzz_nap(int microseconds); /* a rank that is late */

/* What a rank has seen, in its log. */
void fuzz_note(int step, double value);
void fuzz_note_int(int step, unsigned long value);
void fuzz_note_array(const char *name, const void *memory, size_t bytes);

#endif
