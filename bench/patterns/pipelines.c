// Data goes from rank to rank: blocks round a ring, each used by all ranks in turn; a wave over a line of ranks, and back.
#include "pattern.h"

enum { BLOCK = 64 * KIB, BOUNDARY = 16 * KIB, PLANES = 8 };
enum { FORWARD, BACK };

static char *block, *next;

static void blocks(void) {
    block = memory(BLOCK);
    next = memory(BLOCK);
}

// Who computes all forces on its bodies sees all blocks: the next one comes while this one is used.
static void ring(long step) {
    make_data(block, BLOCK, data_of(step, rank));
    for (int p = 0; p < ranks; p++) {
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (p < ranks - 1) {
            MPI_Irecv(next, BLOCK, MPI_BYTE, left(), 0, WORLD, &requests[0]);
            MPI_Isend(block, BLOCK, MPI_BYTE, right(), 0, WORLD, &requests[1]);
        }
        use_data(block, BLOCK, data_of(step, (rank - p + ranks) % ranks));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        char *used = block;
        block = next;
        next = used;
    }
}

static void boundaries(void) {
    block = memory(BOUNDARY);
    next = memory(BOUNDARY);
}

static void sweep(long step, int direction) {
    const int before = direction == FORWARD ? rank - 1 : rank + 1, after = direction == FORWARD ? rank + 1 : rank - 1;
    for (int plane = 0; plane < PLANES; plane++) {
        const long which = (step * 2 + direction) * PLANES + plane;
        if (before >= 0 && before < ranks) {
            MPI_Recv(block, BOUNDARY, MPI_BYTE, before, direction, WORLD, MPI_STATUS_IGNORE);
            use_data(block, BOUNDARY, data_of(which, before));
        } else {
            compute(BOUNDARY);
        }
        if (after >= 0 && after < ranks) {
            make_data(next, BOUNDARY, data_of(which, rank));
            MPI_Send(next, BOUNDARY, MPI_BYTE, after, direction, WORLD);
        }
    }
}

static void wavefront(long step) {
    sweep(step, FORWARD);
    sweep(step, BACK);
}

const struct Pattern pipelines[] = {
    {"ring", "blocks of 64 KiB go round, the next one while this one is used", .set_up = blocks, .step = ring},
    {"wavefront", "boundaries of 16 KiB from rank to rank and back, by MPI_Recv and MPI_Send", .set_up = boundaries,
     .step = wavefront},
    {0},
};
