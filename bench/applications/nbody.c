// nbody: bodies shared out in blocks; each rank needs all of them in every step (N-body of Ke, Burtscher and Speight, Euro-Par 2005). After a
// step each sends its block to all others, point to point; plain, it waits for all of theirs.
//
//   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps; Tm is that of the p - 1 blocks that leave by one link
//
// The next step takes block after block, its first one at once.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { STEPS = 24, EVERY = 4 }; // of the bodies, one in so many has work to do beyond the sum
enum { BLOCK = 1 };

static double *bodies[2], **part; // a block of each rank; hand: forces by block, as they come in another order
static long n;
static MPI_Request *in, **coming[2], **going[2];

static double *block(int g, int b) {
    return bodies[g] + b * n;
}

// What block b does to our bodies a to e-1.
static void attract(int g, int b, double *to, long a, long e) {
    const double *theirs = block(g, b), *ours = block(g, rank);
    for (long i = a; i < e; i++) to[i] = theirs[i] - ours[i] + 0.5 * theirs[n - 1 - i];
    for (long i = (a + EVERY - 1) / EVERY * EVERY; i < e; i += EVERY) to[i] += 1e-9 * element(i / EVERY);
    worked_part(e - a, ranks);
}

static void attract_all(int g, int b) {
    for (long a = 0; a < n; a += 8 * STRIP) attract(g, b, part[b], a, least(a + 8 * STRIP, n));
}

static void move(int from, int to, long a, long e) {
    for (long i = a; i < e; i++) {
        double sum = 0;
        for (int b = 0; b < ranks; b++) sum += part[b][i];
        block(to, rank)[i] = 0.9 * block(from, rank)[i] + 1e-3 * sum;
    }
}

static void compute(void) {
    for (int b = 0; b < ranks; b++) attract_all(0, b);
}

static void exchange(void) {
    int k = 0;
    for (int d = 1; d < ranks; d++) {
        const int source = (rank - d + ranks) % ranks;
        MPI_Irecv(block(0, source), (int)n, MPI_DOUBLE, source, BLOCK, MPI_COMM_WORLD, &in[k++]);
    }
    for (int d = 1; d < ranks; d++)
        MPI_Send(block(0, rank), (int)n, MPI_DOUBLE, (rank + d) % ranks, BLOCK, MPI_COMM_WORLD);
    MPI_Waitall(k, in, MPI_STATUSES_IGNORE);
}

static void plain(void) {
    for (int s = 0; s < STEPS; s++) {
        work_step(s);
        for (int b = 0; b < ranks; b++) attract_all(0, b);
        move(0, 0, 0, n);
        exchange();
    }
}

// Our own block first, then the others in the order in which they come; the last pass moves the bodies and sends them, chunk by chunk.
static void hand(long chunk_bytes) {
    const long chunk = chunk_bytes / (long)sizeof(double);
    const int parts = (int)((n + chunk - 1) / chunk);
    for (int s = 0; s <= STEPS; s++) {
        const int from = s % 2, to = 1 - from;
        work_step(s);
        for (int b = 0; b < ranks; b++) {
            MPI_Waitall(parts, going[to][b], MPI_STATUSES_IGNORE);
            for (int k = 0; s < STEPS && b != rank && k < parts; k++)
                MPI_Irecv(block(to, b) + k * chunk, (int)(least((k + 1) * chunk, n) - k * chunk), MPI_DOUBLE, b, BLOCK,
                          MPI_COMM_WORLD, &coming[to][b][k]);
        }
        for (int d = 0; s < STEPS && d < ranks; d++) {
            const int b = (rank - d + ranks) % ranks;
            MPI_Waitall(parts, coming[from][b], MPI_STATUSES_IGNORE);
            if (d < ranks - 1) {
                attract_all(from, b);
                continue;
            }
            for (int k = 0; k < parts; k++) {
                const long a = k * chunk, e = least(a + chunk, n);
                attract(from, b, part[b], a, e);
                move(from, to, a, e);
                for (int q = 1; q < ranks; q++)
                    MPI_Isend(block(to, rank) + a, (int)(e - a), MPI_DOUBLE, (rank + q) % ranks, BLOCK, MPI_COMM_WORLD,
                              &going[to][(rank + q) % ranks][k]);
            }
        }
    }
    for (int b = 0; b < ranks; b++) {
        MPI_Waitall(parts, coming[STEPS % 2][b], MPI_STATUSES_IGNORE);
        MPI_Waitall(parts, going[STEPS % 2][b], MPI_STATUSES_IGNORE);
    }
}

// What a link carries one way in a step.
static void message(void) {
    for (int m = 1; m < ranks; m++) {
        if (rank == 1) MPI_Send(block(0, 1), (int)n, MPI_DOUBLE, 0, BLOCK, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(block(0, 1), (int)n, MPI_DOUBLE, 1, BLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    part = calloc((size_t)ranks, sizeof *part);
    for (int b = 0; b < ranks; b++) part[b] = calloc((size_t)n, sizeof **part);
    in = no_requests(ranks);
    for (int g = 0; g < 2; g++) {
        bodies[g] = calloc((size_t)(ranks * n), sizeof(double));
        coming[g] = calloc((size_t)ranks, sizeof(MPI_Request *));
        going[g] = calloc((size_t)ranks, sizeof(MPI_Request *));
        if (!bodies[g]) give_up("no memory for %d blocks of %ld bytes", ranks, option.bytes);
        for (int b = 0; b < ranks; b++) coming[g][b] = no_requests(n), going[g][b] = no_requests(n);
    }
}

static void reset(void) {
    for (int g = 0; g < 2; g++)
        for (long i = 0; i < ranks * n; i++) bodies[g][i] = (double)(i * 13 % 97) / 97;
}

static struct Result result(void) {
    return (struct Result){bodies[0], (size_t)(ranks * n) * sizeof(double)};
}

const struct Kernel *kernel(void) {
    static const struct Kernel nbody = {.name = "nbody",
                                        .set_up = set_up,
                                        .reset = reset,
                                        .message = message,
                                        .message_hops = hops,
                                        .compute = compute,
                                        .plain = plain,
                                        .hand = hand,
                                        .result = result};
    return &nbody;
}
