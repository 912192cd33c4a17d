// The kernel pair, but what its delta variant receives is wrong in one element. The driver must notice.
#define kernel right_kernel
#include "kernels/pair.c"
#undef kernel

static void wrong_delta(void) {
    delta();
    if (rank == 1) data[n / 2] += 1;
}

const struct Kernel *kernel(void) {
    static struct Kernel spoilt;
    spoilt = *right_kernel();
    spoilt.delta = wrong_delta;
    return &spoilt;
}
