// Collectives whose result is used at once: vectors that all ranks gather, sums, panels, output at one rank; and the smallest ones.
#include "pattern.h"

enum {
    PART = 32 * KIB,
    UNEVEN = 8 * KIB,
    PANEL = MIB,
    OUTPUT = 64 * KIB,
    VECTOR = 256 * KIB,
    WORDS = sizeof(uint64_t)
};

static char *in, *out;
static int *counts, *places;

static void buffers(void) {
    const size_t parts = (size_t)ranks * OUTPUT;
    in = memory(parts > PANEL ? parts : PANEL);
    out = memory(parts > PANEL ? parts : PANEL);
    counts = memory((size_t)ranks * sizeof *counts);
    places = memory((size_t)ranks * sizeof *places);
}

static void use_parts(long step, const int *bytes) {
    size_t at = 0;
    for (int from = 0; from < ranks; at += (size_t)bytes[from++])
        use_data(in + at, (size_t)bytes[from], data_of(step, from));
}

static void use_equal_parts(long step, int bytes) {
    for (int k = 0; k < ranks; k++) counts[k] = bytes;
    use_parts(step, counts);
}

static void allgather(long step) {
    make_data(out, PART, data_of(step, rank));
    MPI_Allgather(out, PART, MPI_BYTE, in, PART, MPI_BYTE, WORLD);
    use_equal_parts(step, PART);
}

static void allgatherv(long step) {
    for (int k = 0; k < ranks; k++) {
        counts[k] = UNEVEN * (1 + (k + (int)(step % 5)) % 5);
        places[k] = k ? places[k - 1] + counts[k - 1] : 0;
    }
    make_data(out, (size_t)counts[rank], data_of(step, rank));
    MPI_Allgatherv(out, counts[rank], MPI_BYTE, in, counts, places, MPI_BYTE, WORLD);
    use_parts(step, counts);
}

static void reduce_scatter(long step) {
    for (int k = 0; k < ranks; k++) counts[k] = PART / WORDS;
    make_data(out, (size_t)ranks * PART, data_of(step, rank));
    MPI_Reduce_scatter(out, in, counts, MPI_UINT64_T, MPI_SUM, WORLD);
    use_data(in, PART, data_of(step, rank));
}

static void allreduce(long step) {
    make_data(out, VECTOR, data_of(step, rank));
    MPI_Allreduce(out, in, VECTOR / WORDS, MPI_UINT64_T, MPI_SUM, WORLD);
    use_data(in, VECTOR, data_of(step, 0));
}

// As in an LU factorization: the owner of a panel is another rank each time.
static void panels(long step) {
    const int owner = (int)(step % ranks);
    if (rank == owner) make_data(in, PANEL, data_of(step, owner));
    MPI_Bcast(in, PANEL, MPI_BYTE, owner, WORLD);
    use_data(in, PANEL, data_of(step, owner));
}

static void output(long step) {
    compute(OUTPUT);
    make_data(out, OUTPUT, data_of(step, rank));
    MPI_Gather(out, OUTPUT, MPI_BYTE, in, OUTPUT, MPI_BYTE, 0, WORLD);
    if (rank == 0) use_equal_parts(step, OUTPUT);
    MPI_Barrier(WORLD);
}

static void small(long step) {
    uint64_t word = (uint64_t)step, sum;
    MPI_Bcast(&word, 1, MPI_UINT64_T, 0, WORLD);
    MPI_Allreduce(&word, &sum, 1, MPI_UINT64_T, MPI_SUM, WORLD);
    MPI_Barrier(WORLD);
    use_data(&sum, sizeof sum, data_of(step, 0));
}

const struct Pattern collectives[] = {
    {"allgather", "MPI_Allgather of 32 KiB of each rank", .set_up = buffers, .step = allgather},
    {"allgatherv", "MPI_Allgatherv of 8 to 40 KiB of each rank, other sizes each step", .set_up = buffers,
     .step = allgatherv},
    {"reduce-scatter", "MPI_Reduce_scatter, 32 KiB for each rank", .set_up = buffers, .step = reduce_scatter},
    {"allreduce", "MPI_Allreduce of 256 KiB", .set_up = buffers, .step = allreduce},
    {"panels", "MPI_Bcast of 1 MiB, from another rank each time", .set_up = buffers, .step = panels},
    {"output", "MPI_Gather of 64 KiB of each rank to rank 0, then MPI_Barrier", .set_up = buffers, .step = output},
    {"small", "MPI_Bcast, MPI_Allreduce, MPI_Barrier of 8 bytes", LITTLE, .set_up = buffers, .step = small},
    {0},
};
