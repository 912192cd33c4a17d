/* Loops of all kinds, and no MPI. */
#include <math.h>
#include <stddef.h>
#include <string.h>

void product(double *restrict c, const double *restrict a, const double *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void stencil(double *to, const double *from, long rows, long columns) {
    for (long i = 1; i + 1 < rows; i++)
        for (long j = 1; j + 1 < columns; j++) {
            const double *at = from + i * columns + j;
            to[i * columns + j] = 0.25 * (at[-1] + at[1] + at[-columns] + at[columns]);
        }
}

double sum(const float *a, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++) total += a[i];
    return total;
}

int first_above(const int *a, int n, int limit) {
    for (int i = 0; i < n; i++)
        if (a[i] > limit) return i;
    return -1;
}

void roots(float *a, const int *where, int n) {
    for (int i = n - 1; i >= 0; i--) a[where[i]] = sqrtf(a[where[i]]) + sinf((float)i);
}

void pack(char *to, const char *from, const size_t *lengths, int n) {
    for (int i = 0; i < n; to += lengths[i], from += 2 * lengths[i], i++) memcpy(to, from, lengths[i]);
}

static int collatz(unsigned n) {
    int steps = 0;
    for (; n > 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

int longest(unsigned below) {
    int most = 0;
    for (unsigned n = 1; n < below; n++)
        if (collatz(n) > most) most = collatz(n);
    return most;
}
