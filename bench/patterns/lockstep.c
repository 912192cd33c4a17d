// All ranks in step: each sends to one rank and gets from one, phase after phase.
#include "pattern.h"

enum { BLOCK = 128 * KIB, TILE = 256 * KIB };

static char *in, *out;

static void buffers(void) {
    in = memory(BLOCK);
    out = memory(BLOCK);
}

static void pairwise(long step) {
    for (int p = 1; p < ranks; p++) {
        const int to = (rank + p) % ranks, from = (rank - p + ranks) % ranks;
        make_data(out, BLOCK, data_of(step * ranks + p, rank));
        MPI_Sendrecv(out, BLOCK, MPI_BYTE, to, p, in, BLOCK, MPI_BYTE, from, p, WORLD, MPI_STATUS_IGNORE);
        use_data(in, BLOCK, data_of(step * ranks + p, from));
    }
}

static void tile(void) {
    out = memory(TILE);
}

// As in Cannon's algorithm: a tile goes round once.
static void shift(long step) {
    make_data(out, TILE, data_of(step, rank));
    for (int p = 1; p < ranks; p++) {
        MPI_Sendrecv_replace(out, TILE, MPI_BYTE, right(), 0, left(), 0, WORLD, MPI_STATUS_IGNORE);
        use_data(out, TILE, data_of(step, (rank - p + ranks) % ranks));
    }
}

const struct Pattern lockstep[] = {
    {"pairwise", "a transpose by MPI_Sendrecv of 128 KiB with each rank in turn", .set_up = buffers, .step = pairwise},
    {"shift", "tiles of 256 KiB go round by MPI_Sendrecv_replace", .set_up = tile, .step = shift},
    {0},
};
