// m3: a matrix product by a master and its slaves (M3 of Ke, Burtscher and Speight, Euro-Par 2005). In each round the master makes a slice for
// every slave and sends it; a slave computes with it and sends as much back. Plain, the master waits for all results before the next round,
// a slave for its slice.
//
//   plain = R (Tg + Tc + Tm)     ideal = R max(Tc, Tm (p-1)/p)     for R rounds; Tm is that of p - 1 slices and one result, one after the
// other through the master's link; Tg, to make the slices, is Tc/5
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { ROUNDS = 24, MAKING = 5 }; // a fifth of a slave's computation is the master's
enum { SLICE = 1, RESULT };

static double *slices[2], *results; // the master: of all slaves, one after the other; a slave: its own
static long n;
static MPI_Request *in, **coming[2], **going[2], **returning;

static void make(int set, int round, long a, long b) {
    for (long i = a; i < b; i++)
        slices[set][i] = (double)((i * 17 + round * 29) % 103) / 103 +
                         (i % (MAKING * (ranks - 1)) ? 0 : 1e-9 * element(i / (MAKING * (ranks - 1))));
    worked_part(b - a, MAKING * (ranks - 1));
}

static void multiply(int set, long a, long b) {
    for (long i = a; i < b; i++) results[i] = 0.5 * results[i] + slices[set][i] + 1e-9 * element(i);
    worked(b - a);
}

static void compute(void) { // of a slave, in a round
    for (long a = 0; a < n; a += 2 * STRIP) multiply(0, a, least(a + 2 * STRIP, n));
}

static void plain_master(void) {
    const long all = n * (ranks - 1);
    for (int r = 0; r < ROUNDS; r++) {
        work_step(r);
        for (long a = 0; a < all; a += 2 * STRIP) make(0, r, a, least(a + 2 * STRIP, all));
        for (int s = 1; s < ranks; s++)
            MPI_Irecv(results + (s - 1) * n, (int)n, MPI_DOUBLE, s, RESULT, MPI_COMM_WORLD, &in[s - 1]);
        for (int s = 1; s < ranks; s++) MPI_Send(slices[0] + (s - 1) * n, (int)n, MPI_DOUBLE, s, SLICE, MPI_COMM_WORLD);
        MPI_Waitall(ranks - 1, in, MPI_STATUSES_IGNORE);
    }
}

static void plain_slave(void) {
    for (int r = 0; r < ROUNDS; r++) {
        work_step(r);
        MPI_Recv(slices[0], (int)n, MPI_DOUBLE, 0, SLICE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute();
        MPI_Send(results, (int)n, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

static void plain(void) {
    rank == 0 ? plain_master() : plain_slave();
}

// The master makes a chunk for each slave in turn and sends it; results come back under the making of the next slices.
static void hand_master(long chunk, int parts) {
    for (int r = 0; r < ROUNDS; r++) {
        work_step(r);
        for (int k = 0; k < parts; k++)
            for (int s = 1; s < ranks; s++) {
                const long a = (s - 1) * n + k * chunk, b = least(a + chunk, s * n);
                if (k == 0) MPI_Waitall(parts, going[r % 2][s], MPI_STATUSES_IGNORE);
                for (long i = a; i < b; i += 2 * STRIP) make(r % 2, r, i, least(i + 2 * STRIP, b));
                MPI_Isend(slices[r % 2] + a, (int)(b - a), MPI_DOUBLE, s, SLICE, MPI_COMM_WORLD, &going[r % 2][s][k]);
            }
        for (int s = 1; s < ranks; s++) {
            MPI_Waitall(parts, returning[s], MPI_STATUSES_IGNORE);
            for (int k = 0; k < parts; k++)
                MPI_Irecv(results + (s - 1) * n + k * chunk, (int)(least((k + 1) * chunk, n) - k * chunk), MPI_DOUBLE,
                          s, RESULT, MPI_COMM_WORLD, &returning[s][k]);
        }
    }
    for (int s = 1; s < ranks; s++) {
        MPI_Waitall(parts, returning[s], MPI_STATUSES_IGNORE);
        for (int set = 0; set < 2; set++) MPI_Waitall(parts, going[set][s], MPI_STATUSES_IGNORE);
    }
}

static void expect(int set, long chunk, int parts) {
    for (int k = 0; k < parts; k++)
        MPI_Irecv(slices[set] + k * chunk, (int)(least((k + 1) * chunk, n) - k * chunk), MPI_DOUBLE, 0, SLICE,
                  MPI_COMM_WORLD, &coming[set][0][k]);
}

static void hand_slave(long chunk, int parts) {
    expect(0, chunk, parts);
    for (int r = 0; r < ROUNDS; r++) {
        work_step(r);
        if (r + 1 < ROUNDS) expect((r + 1) % 2, chunk, parts);
        for (int k = 0; k < parts; k++) {
            const long a = k * chunk, b = least(a + chunk, n);
            MPI_Wait(&coming[r % 2][0][k], MPI_STATUS_IGNORE);
            MPI_Wait(&returning[0][k], MPI_STATUS_IGNORE);
            for (long i = a; i < b; i += 2 * STRIP) multiply(r % 2, i, least(i + 2 * STRIP, b));
            MPI_Isend(results + a, (int)(b - a), MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD, &returning[0][k]);
        }
    }
    MPI_Waitall(parts, returning[0], MPI_STATUSES_IGNORE);
}

static void hand(long chunk_bytes) {
    const long chunk = chunk_bytes / (long)sizeof(double);
    const int parts = (int)((n + chunk - 1) / chunk);
    rank == 0 ? hand_master(chunk, parts) : hand_slave(chunk, parts);
}

// What the master's link carries, one after the other: the slices and one result.
static void message(void) {
    for (int m = 0; m < ranks; m++) {
        if (rank == 0) MPI_Send(slices[0], (int)n, MPI_DOUBLE, 1, SLICE, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(slices[0], (int)n, MPI_DOUBLE, 0, SLICE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    in = no_requests(ranks);
    results = calloc((size_t)(ranks * n), sizeof(double));
    returning = calloc((size_t)ranks, sizeof(MPI_Request *));
    for (int set = 0; set < 2; set++) {
        slices[set] = calloc((size_t)(ranks * n), sizeof(double));
        if (!slices[set] || !results) give_up("no memory for %d slices of %ld bytes", ranks, option.bytes);
        coming[set] = calloc((size_t)ranks, sizeof(MPI_Request *));
        going[set] = calloc((size_t)ranks, sizeof(MPI_Request *));
        for (int s = 0; s < ranks; s++) {
            coming[set][s] = no_requests(n), going[set][s] = no_requests(n);
            if (set == 0) returning[s] = no_requests(n);
        }
    }
}

static void reset(void) {
    for (long i = 0; i < ranks * n; i++) results[i] = 0;
    for (int set = 0; set < 2; set++) memset(slices[set], 0xff, (size_t)(ranks * n) * sizeof(double));
}

static struct Result result(void) {
    return (struct Result){results, (size_t)(n * (rank == 0 ? ranks - 1 : 1)) * sizeof(double)};
}

const struct Kernel *kernel(void) {
    static const struct Kernel m3 = {.name = "m3",
                                     .set_up = set_up,
                                     .reset = reset,
                                     .message = message,
                                     .message_hops = hops,
                                     .compute = compute,
                                     .plain = plain,
                                     .hand = hand,
                                     .result = result};
    return &m3;
}
