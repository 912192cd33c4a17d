// median.h: of samples, which are sorted by it.
#pragma once
#include <stdlib.h>

static inline int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *samples, int n) {
    qsort(samples, (size_t)n, sizeof *samples, by_size);
    return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}
