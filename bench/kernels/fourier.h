// fourier.h: what kernels that transform a field by FFTW have in common.
#pragma once
#include <complex.h>
#include <fftw3.h>

#include "harness/kernel.h"

typedef double complex Point;

static inline Point root(long k, long n) { // exp(-2 pi i k / n)
    const double angle = -2 * acos(-1) * (double)(k % n) / (double)n;
    return cos(angle) + I * sin(angle);
}

// Aligned as FFTW likes it. Ends the program if there is no memory.
static inline Point *room_for(long points) {
    Point *room = fftw_alloc_complex((size_t)points);
    if (!room) give_up("no memory for %ld points", points);
    return room;
}

// T_message: the blocks that rank 0 sends to all others, one after the other through its link.
static inline void send_blocks_of_rank_0(const Point *leaving, Point *coming, long block) {
    for (int r = 1; r < ranks; r++) {
        if (rank == 0) MPI_Send(leaving, (int)block, MPI_C_DOUBLE_COMPLEX, r, 0, MPI_COMM_WORLD);
        if (rank == r) MPI_Recv(coming, (int)block, MPI_C_DOUBLE_COMPLEX, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
