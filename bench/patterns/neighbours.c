// Messages to both neighbours on a ring of ranks: of one size, of many sizes, short ones, long ones, tested for, persistent, far ahead.
#include "pattern.h"

enum { TO_LEFT, TO_RIGHT };
enum {
    LARGEST = 256 * KIB,
    CONSTANT = 48 * KIB,
    LEAST_GROWN = KIB,
    SHORT = 256,
    SHORT_MESSAGES = 64,
    TESTS = 64,
    AHEAD = 16,
    FAR = 32 * KIB,
    FEW = 4,
    LARGE = 2 * MIB,
    LATE = 4 // times as much work
};

static char *in[2], *out[2]; // with the left and the right neighbour
static MPI_Request requests[4];

static void buffers_of(size_t bytes) {
    for (int side = 0; side < 2; side++) in[side] = memory(bytes), out[side] = memory(bytes);
}

static void buffers(void) {
    buffers_of(LARGEST);
}

// What a rank sends to its left is not what it sends to its right.
static uint64_t name_of(long step, int from, int direction) {
    return data_of(2 * step + direction, from);
}

static void make_both(long step, int bytes) {
    make_data(out[0], (size_t)bytes, name_of(step, rank, TO_LEFT));
    make_data(out[1], (size_t)bytes, name_of(step, rank, TO_RIGHT));
}

static void use_both(long step, int from_left, int from_right) {
    use_data(in[0], (size_t)from_left, name_of(step, left(), TO_RIGHT));
    use_data(in[1], (size_t)from_right, name_of(step, right(), TO_LEFT));
}

static void begin(long step, int bytes, int from_left, int from_right) {
    MPI_Irecv(in[0], from_left, MPI_BYTE, left(), TO_RIGHT, WORLD, &requests[0]);
    MPI_Irecv(in[1], from_right, MPI_BYTE, right(), TO_LEFT, WORLD, &requests[1]);
    make_both(step, bytes);
    MPI_Isend(out[0], bytes, MPI_BYTE, left(), TO_LEFT, WORLD, &requests[2]);
    MPI_Isend(out[1], bytes, MPI_BYTE, right(), TO_RIGHT, WORLD, &requests[3]);
}

static void exchange(long step, int bytes, int from_left, int from_right) {
    begin(step, bytes, from_left, from_right);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    use_both(step, from_left, from_right);
}

static void constant(long step) {
    exchange(step, CONSTANT, CONSTANT, CONSTANT);
}

static int varying_bytes(long step, int whose) {
    return 8 * (int)(3000 + (step * 37 + whose * 11) % 997);
}

static void varying(long step) {
    exchange(step, varying_bytes(step, rank), varying_bytes(step, left()), varying_bytes(step, right()));
}

static void growing(long step) {
    const long grown = (LARGEST - LEAST_GROWN) / 8 * (step % all_steps) / all_steps * 8;
    const int bytes = LEAST_GROWN + (int)grown;
    exchange(step, bytes, bytes, bytes);
}

static void many_short(long step) {
    MPI_Request every[2 * SHORT_MESSAGES];
    for (int k = 0; k < SHORT_MESSAGES; k++) MPI_Irecv(in[0] + k * SHORT, SHORT, MPI_BYTE, left(), k, WORLD, &every[k]);
    make_data(out[1], (size_t)SHORT_MESSAGES * SHORT, name_of(step, rank, TO_RIGHT));
    for (int k = 0; k < SHORT_MESSAGES; k++)
        MPI_Isend(out[1] + k * SHORT, SHORT, MPI_BYTE, right(), k, WORLD, &every[SHORT_MESSAGES + k]);
    MPI_Waitall(2 * SHORT_MESSAGES, every, MPI_STATUSES_IGNORE);
    use_data(in[0], (size_t)SHORT_MESSAGES * SHORT, name_of(step, left(), TO_RIGHT));
}

static void tested(long step) {
    int done = 0;
    begin(step, LARGEST, LARGEST, LARGEST);
    for (int k = 0; k < TESTS; k++) {
        compute(LARGEST / TESTS);
        if (!done) MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    }
    while (!done) MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    use_both(step, LARGEST, LARGEST);
}

static void set_up_persistent(void) {
    buffers();
    MPI_Recv_init(in[0], CONSTANT, MPI_BYTE, left(), TO_RIGHT, WORLD, &requests[0]);
    MPI_Recv_init(in[1], CONSTANT, MPI_BYTE, right(), TO_LEFT, WORLD, &requests[1]);
    MPI_Send_init(out[0], CONSTANT, MPI_BYTE, left(), TO_LEFT, WORLD, &requests[2]);
    MPI_Send_init(out[1], CONSTANT, MPI_BYTE, right(), TO_RIGHT, WORLD, &requests[3]);
}

static void persistent(long step) {
    MPI_Startall(2, requests);
    make_both(step, CONSTANT);
    for (int k = 2; k < 4; k++) MPI_Start(&requests[k]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    use_both(step, CONSTANT, CONSTANT);
}

static void set_up_far_ahead(void) {
    buffers_of((size_t)AHEAD * FAR);
}

static void far_ahead(long step) {
    MPI_Request coming[AHEAD], going[AHEAD];
    for (int k = 0; k < AHEAD; k++) MPI_Irecv(in[0] + k * FAR, FAR, MPI_BYTE, left(), k, WORLD, &coming[k]);
    for (int k = 0; k < AHEAD; k++) {
        make_data(out[1] + k * FAR, FAR, data_of(AHEAD * step + k, rank));
        MPI_Isend(out[1] + k * FAR, FAR, MPI_BYTE, right(), k, WORLD, &going[k]);
        MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
        use_data(in[0] + k * FAR, FAR, data_of(AHEAD * step + k, left()));
    }
    MPI_Waitall(AHEAD, going, MPI_STATUSES_IGNORE);
}

static void set_up_few_large(void) {
    buffers_of(LARGE);
}

static void few_large(long step) {
    compute(LARGE);
    exchange(step, LARGE, LARGE, LARGE);
}

static void late(long step) {
    compute(CONSTANT);
    if (step % ranks == rank) compute((LATE - 1) * CONSTANT);
    exchange(step, CONSTANT, CONSTANT, CONSTANT);
}

const struct Pattern neighbours[] = {
    {"constant", "both neighbours, 48 KiB each way", .set_up = buffers, .step = constant},
    {"varying", "both neighbours, another size in each step, 24 to 32 KB", .set_up = buffers, .step = varying},
    {"growing", "both neighbours, from 1 to 256 KiB while the job runs", .set_up = buffers, .step = growing},
    {"short", "64 messages of 256 bytes to the next rank", LITTLE, .set_up = buffers, .step = many_short},
    {"tested", "256 KiB each way, MPI_Testall between pieces of work until all is there", .set_up = buffers,
     .step = tested},
    {"persistent", "both neighbours, 48 KiB, by persistent requests", .set_up = set_up_persistent, .step = persistent},
    {"far-ahead", "16 receives of 32 KiB posted ahead of the first message", .set_up = set_up_far_ahead,
     .step = far_ahead},
    {"few-large", "a job of four steps, 2 MiB each way in each", MUCH, FEW, set_up_few_large, few_large},
    {"late", "both neighbours, 48 KiB; one rank, in rotation, is late", MUCH, .set_up = buffers, .step = late},
    {0},
};
