/* What the programs here print: one line of JSON, {"cases": [{"seconds": ..., "checksum": ...}, ...]}. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of every bit (FNV-1a). */
static uint64_t checksum(const void *memory, size_t bytes) {
    uint64_t sum = 14695981039346656037u;
    for (size_t k = 0; k < bytes; k++) sum = (sum ^ ((const unsigned char *)memory)[k]) * 1099511628211u;
    return sum;
}

/* The next case: seconds of a turn. */
static void print_case(double seconds, uint64_t sum) {
    static int is_behind_another;
    printf("%s{\"seconds\": %.9f, \"checksum\": \"%016llx\"}", is_behind_another++ ? ", " : "{\"cases\": [", seconds,
           (unsigned long long)sum);
}
static void print_end(void) {
    puts("]}");
}
