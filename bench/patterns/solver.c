// An iterative solver's calls: the halo of a product with a matrix, two dot products, a norm, and rank 0's word whether to go on.
#include "pattern.h"

enum { SIDE = 32 * KIB };

static char *in[2], *out[2];

static void buffers(void) {
    for (int side = 0; side < 2; side++) in[side] = memory(SIDE), out[side] = memory(SIDE);
}

static int peer(int side) {
    const int other = side ? rank + 1 : rank - 1;
    return other >= 0 && other < ranks ? other : MPI_PROC_NULL;
}

static uint64_t name_of(long step, int from, int side) {
    return data_of(2 * step + side, from);
}

static void product(long step) {
    MPI_Request requests[4];
    for (int side = 0; side < 2; side++) MPI_Irecv(in[side], SIDE, MPI_BYTE, peer(side), !side, WORLD, &requests[side]);
    for (int side = 0; side < 2; side++) {
        make_data(out[side], SIDE, name_of(step, rank, side));
        MPI_Isend(out[side], SIDE, MPI_BYTE, peer(side), side, WORLD, &requests[2 + side]);
    }
    compute(SIDE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int side = 0; side < 2; side++)
        if (peer(side) != MPI_PROC_NULL) use_data(in[side], SIDE, name_of(step, peer(side), !side));
}

// Of whole numbers, whose sum is the same in any order.
static double over_all(double value, MPI_Op op) {
    double all;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, op, WORLD);
    return all;
}

static void iteration(long step) {
    product(step);
    double found[4] = {over_all((double)(step % 1000 + rank), MPI_SUM)};
    found[1] = over_all((double)(step % 777 * rank), MPI_SUM);
    found[2] = over_all((double)(step % 99 - rank), MPI_MAX);
    found[3] = found[0] + found[1];
    MPI_Bcast(&found[3], 1, MPI_DOUBLE, 0, WORLD);
    use_data(found, sizeof found, data_of(step, 0));
}

const struct Pattern solver[] = {
    {"solver", "a halo of 32 KiB, two dot products and a norm by MPI_Allreduce, an MPI_Bcast", .set_up = buffers,
     .step = iteration},
    {0},
};
