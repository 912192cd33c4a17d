// A field shared out in slabs is transposed by MPI_Alltoall, and all that came is used at once; or beside a computation.
#include "pattern.h"

enum { LARGEST = MIB, OVERLAPPED = 64 * KIB, UNEVEN = 16 * KIB };

static char *in, *out;
static int *counts_in, *counts_out, *places_in, *places_out;

static void buffers(void) {
    in = memory((size_t)ranks * LARGEST);
    out = memory((size_t)ranks * LARGEST);
}

static uint64_t block(long step, int from, int to) {
    return data_of(step * ranks + to, from);
}

static void make_blocks(long step, int bytes) {
    for (int to = 0; to < ranks; to++)
        make_data(out + (size_t)to * (size_t)bytes, (size_t)bytes, block(step, rank, to));
}

static void use_blocks(long step, int bytes) {
    for (int from = 0; from < ranks; from++)
        use_data(in + (size_t)from * (size_t)bytes, (size_t)bytes, block(step, from, rank));
}

static void transpose(long step, int bytes) {
    make_blocks(step, bytes);
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD);
    use_blocks(step, bytes);
}

static void of_1k(long step) {
    transpose(step, KIB);
}
static void of_8k(long step) {
    transpose(step, 8 * KIB);
}
static void of_64k(long step) {
    transpose(step, 64 * KIB);
}
static void of_1m(long step) {
    transpose(step, MIB);
}

static void overlapped(long step) {
    MPI_Request request;
    make_blocks(step, OVERLAPPED);
    MPI_Ialltoall(out, OVERLAPPED, MPI_BYTE, in, OVERLAPPED, MPI_BYTE, WORLD, &request);
    compute((size_t)ranks * OVERLAPPED);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_blocks(step, OVERLAPPED);
}

static void set_up_uneven(void) {
    int **const every[] = {&counts_in, &counts_out, &places_in, &places_out};
    for (int k = 0; k < 4; k++) *every[k] = memory((size_t)ranks * sizeof(int));
    buffers();
}

static int uneven_bytes(int from, int to) {
    return UNEVEN / 4 * (1 + (3 * from + 5 * to) % 7);
}

static void uneven(long step) {
    for (int k = 0; k < ranks; k++) {
        counts_in[k] = uneven_bytes(k, rank);
        counts_out[k] = uneven_bytes(rank, k);
        places_in[k] = k ? places_in[k - 1] + counts_in[k - 1] : 0;
        places_out[k] = k ? places_out[k - 1] + counts_out[k - 1] : 0;
        make_data(out + places_out[k], (size_t)counts_out[k], block(step, rank, k));
    }
    MPI_Alltoallv(out, counts_out, places_out, MPI_BYTE, in, counts_in, places_in, MPI_BYTE, WORLD);
    for (int k = 0; k < ranks; k++) use_data(in + places_in[k], (size_t)counts_in[k], block(step, k, rank));
}

const struct Pattern transposes[] = {
    {"transpose-1k", "MPI_Alltoall, 1 KiB to each rank", .set_up = buffers, .step = of_1k},
    {"transpose-8k", "MPI_Alltoall, 8 KiB to each rank", .set_up = buffers, .step = of_8k},
    {"transpose-64k", "MPI_Alltoall, 64 KiB to each rank", .set_up = buffers, .step = of_64k},
    {"transpose-1m", "MPI_Alltoall, 1 MiB to each rank", .set_up = buffers, .step = of_1m},
    {"transpose-uneven", "MPI_Alltoallv, 4 to 28 KiB to each rank", .set_up = set_up_uneven, .step = uneven},
    {"transpose-overlap", "MPI_Ialltoall, 64 KiB to each rank, beside a computation", MUCH, .set_up = buffers,
     .step = overlapped},
    {0},
};
