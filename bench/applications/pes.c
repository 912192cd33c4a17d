// pes: the 2-D Poisson equation by Jacobi steps, rows shared out in blocks (PES of Ke, Burtscher and Speight, Euro-Par 2005). After each step
// a rank sends its first and its last row to its neighbours and gets theirs; plain, it waits for them before it goes on.
//
//   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps; Tm is that of both rows, which leave by one link
//
// The next step needs the row from above at once, the one from below only at its end.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum {
    ROWS = 32,
    STEPS = 24,
    EVERY = 16
}; // rows of a rank; of its points, one in so many has work to do beyond the stencil
enum { UP = 1, DOWN };

static double *grid[2]; // ROWS + 2 rows: the first and the last belong to the neighbours
static long n;          // points of a row
static int above, below;
static MPI_Request coming[2], *going[2][2], *chunks[2][2]; // of the rows from and to above, below

static double *row(int g, int r) {
    return grid[g] + r * n;
}

static void relax(int from, int r, long a, long b) {
    const double *mid = row(from, r), *up = mid - n, *down = mid + n;
    double *to = row(1 - from, r);
    for (long j = a; j < b; j++) to[j] = 0.25 * (up[j] + down[j] + mid[j ? j - 1 : j] + mid[j + 1 < n ? j + 1 : j]);
    for (long j = (a + EVERY - 1) / EVERY * EVERY; j < b; j += EVERY) to[j] += 1e-9 * element(j / EVERY);
    worked_part(b - a, ROWS);
}

static void relax_row(int from, int r) {
    for (long a = 0; a < n; a += 8 * STRIP) relax(from, r, a, least(a + 8 * STRIP, n));
}

static void compute(void) {
    for (int r = 1; r <= ROWS; r++) relax_row(0, r);
}

static void exchange(int g) {
    MPI_Irecv(row(g, 0), (int)n, MPI_DOUBLE, above, DOWN, MPI_COMM_WORLD, &coming[0]);
    MPI_Irecv(row(g, ROWS + 1), (int)n, MPI_DOUBLE, below, UP, MPI_COMM_WORLD, &coming[1]);
    MPI_Send(row(g, 1), (int)n, MPI_DOUBLE, above, UP, MPI_COMM_WORLD);
    MPI_Send(row(g, ROWS), (int)n, MPI_DOUBLE, below, DOWN, MPI_COMM_WORLD);
    MPI_Waitall(2, coming, MPI_STATUSES_IGNORE);
}

static void plain(void) {
    for (int s = 0; s < STEPS; s++) {
        work_step(s);
        for (int r = 1; r <= ROWS; r++) relax_row(s % 2, r);
        exchange(1 - s % 2);
    }
}

// The rows that the neighbours need are computed in the middle of a step: so both ways have half of it. They travel in chunks.
static int order(int q) {
    const int half = ROWS / 2;
    return q < half - 1 ? q + 2 : q == half - 1 ? 1 : q == half ? ROWS : q;
}

static void hand(long chunk_bytes) {
    const long chunk = chunk_bytes / (long)sizeof(double);
    const int parts = (int)((n + chunk - 1) / chunk), peers[2] = {above, below};
    for (int s = 0; s <= STEPS; s++) {
        const int from = s % 2, to = 1 - from;
        work_step(s);
        for (int side = 0; side < 2; side++) { // this array's rows have left, long ago
            MPI_Waitall(parts, going[to][side], MPI_STATUSES_IGNORE);
            for (int k = 0; s < STEPS && k < parts; k++)
                MPI_Irecv(row(to, side ? ROWS + 1 : 0) + k * chunk, (int)(least((k + 1) * chunk, n) - k * chunk),
                          MPI_DOUBLE, peers[side], side ? UP : DOWN, MPI_COMM_WORLD, &chunks[to][side][k]);
        }
        for (int q = 0; s < STEPS && q < ROWS; q++) {
            const int r = order(q), side = r == ROWS;
            if (r > 1 && r < ROWS) {
                relax_row(from, r);
                continue;
            }
            for (int k = 0; k < parts; k++) {
                const long a = k * chunk, b = least(a + chunk, n);
                MPI_Wait(&chunks[from][side][k], MPI_STATUS_IGNORE);
                relax(from, r, a, b);
                MPI_Isend(row(to, r) + a, (int)(b - a), MPI_DOUBLE, peers[side], side ? DOWN : UP, MPI_COMM_WORLD,
                          &going[to][side][k]);
            }
        }
    }
    for (int side = 0; side < 2; side++) {
        MPI_Waitall(parts, chunks[STEPS % 2][side], MPI_STATUSES_IGNORE);
        MPI_Waitall(parts, going[STEPS % 2][side], MPI_STATUSES_IGNORE);
    }
}

// What the busiest link carries one way in a step.
static void message(void) {
    const int messages = ranks > 2 ? 2 : 1;
    for (int m = 0; m < messages; m++) {
        if (rank == 1) MPI_Send(row(0, 1), (int)n, MPI_DOUBLE, 0, UP, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(row(0, ROWS + 1), (int)n, MPI_DOUBLE, 1, UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    for (int g = 0; g < 2; g++) {
        grid[g] = calloc((size_t)((ROWS + 2) * n), sizeof(double));
        if (!grid[g]) give_up("no memory for %d rows of %ld bytes", ROWS + 2, option.bytes);
        for (int side = 0; side < 2; side++) {
            going[g][side] = no_requests(n);
            chunks[g][side] = no_requests(n);
        }
    }
}

static void reset(void) {
    for (int g = 0; g < 2; g++)
        for (int r = 0; r < ROWS + 2; r++)
            for (long j = 0; j < n; j++) row(g, r)[j] = (double)(((rank * ROWS + r) * 31 + j * 7) % 101) / 101;
}

static struct Result result(void) {
    return (struct Result){row(STEPS % 2, 0), (size_t)((ROWS + 2) * n) * sizeof(double)};
}

const struct Kernel *kernel(void) {
    static const struct Kernel pes = {.name = "pes",
                                      .set_up = set_up,
                                      .reset = reset,
                                      .message = message,
                                      .message_hops = hops,
                                      .compute = compute,
                                      .plain = plain,
                                      .hand = hand,
                                      .result = result};
    return &pes;
}
