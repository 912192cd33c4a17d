/* Ints that tell which rank they are of, and where they belong: what collectives are tested with. */
#ifndef STRETTO_TESTS_ELEMENTS_H
#define STRETTO_TESTS_ELEMENTS_H

#include "promise.h"

/* What rank r contributes at place k; sums of a few do not overflow. */
static inline int value(int r, int k, int salt) {
    return (int)(((unsigned)r * 7919u + (unsigned)k * 104729u + (unsigned)salt * 1299709u) % 1000003u);
}

/* This rank's. */
static inline int *made(int elements, int salt) {
    int *buffer = malloc(sizeof(int) * (size_t)(elements ? elements : 1));
    for (int k = 0; k < elements; k++) buffer[k] = value(rank, k, salt);
    return buffer;
}

static inline int *filled(int elements, int with) {
    int *buffer = malloc(sizeof(int) * (size_t)(elements ? elements : 1));
    for (int k = 0; k < elements; k++) buffer[k] = with;
    return buffer;
}

static inline int same(const int *a, const int *b, int elements) {
    return memcmp(a, b, sizeof(int) * (size_t)elements) == 0;
}

/* Is it rank r's, from its place k on? */
static inline int is_of(const int *buffer, int elements, int r, int k, int salt) {
    for (int i = 0; i < elements; i++)
        if (buffer[i] != value(r, k + i, salt)) return 0;
    return 1;
}

#endif
