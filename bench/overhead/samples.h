// samples.h: what the three small programs share: a median, and the numbers that rank 0 prints.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/clock.h"

enum { SAMPLES = 201 };

static inline int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *v, int n) {
    qsort(v, (size_t)n, sizeof *v, by_size);
    return v[n / 2];
}
