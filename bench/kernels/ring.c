// ring: p ranks in a circle. Each computes an array from the one that it got last, sends it to its right and gets one
// from its left, and repeats (Bao et al. 2012, section III.A). Plain, all ranks compute, then all send: the messages
// overlap each other (non-blocking, as in the paper), but not the computation.
//
//   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps: at most 2 times faster, where Tc = Tm
//
// Each step's element needs the same element of the step before, so deltas of one step flow under the next one's loop.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { STEPS = 4 };

// Two of each, used in turns: one is still leaving, or coming, while the other is computed.
static double *out[2], *in[2];
static long n;
static int left, right;

// What step s sends, from what came in the step before.
static void step(int s, double *to_right, const double *from_left, long from, long to) {
    for (long i = from; i < to; i++) {
        to_right[i] = (s == 0 ? rank : from_left[i]) + element(i);
        worked(1);
    }
}

// The message of this step comes into one of `in` while that of the last one is read from the other.
__attribute__((noinline)) static void turn(int s, double *restrict to_right, const double *restrict from_left,
                                           double *restrict coming, long n, int left, int right) {
    MPI_Request request[2];
    const double own = rank;
    MPI_Irecv(coming, (int)n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
    for (long i = 0; i < n; i++) {
        to_right[i] = (s == 0 ? own : from_left[i]) + element(i);
        worked(1);
    }
    MPI_Isend(to_right, (int)n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void plain(void) {
    for (int s = 0; s < STEPS; s++) turn(s, out[s % 2], in[(s + 1) % 2], in[s % 2], n, left, right);
}

static void delta(void) {
    MPI_Request leaving[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int s = 0; s < STEPS; s++) {
        double *to_right = out[s % 2], *from_left = in[(s + 1) % 2];
        MPIX_Delta_wait(&leaving[s % 2], MPI_STATUS_IGNORE);
        MPIX_Delta_send_begin(to_right, (int)n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &leaving[s % 2]);
        for (long a = 0; a < n; a += STRIP) {
            long b = least(a + STRIP, n);
            if (s > 0) MPIX_Delta_wait_data(from_left + a, (size_t)(b - a) * sizeof *from_left);
            step(s, to_right, from_left, a, b);
            MPIX_Delta_send_data(to_right + a, (size_t)(b - a) * sizeof *to_right);
        }
        MPIX_Delta_send_end(&leaving[s % 2]);
        if (s > 0) MPIX_Delta_recv_end(from_left, MPI_STATUS_IGNORE);
        MPIX_Delta_recv(in[s % 2], (int)n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPIX_Delta_recv_end(in[(STEPS - 1) % 2], MPI_STATUS_IGNORE);
    for (int b = 0; b < 2; b++) MPIX_Delta_wait(&leaving[b], MPI_STATUS_IGNORE);
}

static MPI_Request *coming[2], *going[2];

static int post(int s, long chunk) { // the receives of step s
    int k = 0;
    for (long a = 0; a < n; a += chunk)
        MPI_Irecv(in[s % 2] + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                  &coming[s % 2][k++]);
    return k;
}

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes / (long)sizeof(double);
    int k, chunks = 0;
    for (int s = 0; s < STEPS; s++) {
        chunks = post(s, chunk);
        if (s >= 2) MPI_Waitall(chunks, going[s % 2], MPI_STATUSES_IGNORE);
        k = 0;
        for (long a = 0; a < n; a += chunk, k++) {
            long b = least(a + chunk, n);
            if (s > 0) MPI_Wait(&coming[(s + 1) % 2][k], MPI_STATUS_IGNORE);
            step(s, out[s % 2], in[(s + 1) % 2], a, b);
            MPI_Isend(out[s % 2] + a, (int)(b - a), MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &going[s % 2][k]);
        }
    }
    MPI_Waitall(chunks, coming[(STEPS - 1) % 2], MPI_STATUSES_IGNORE);
    for (int b = 0; b < 2; b++) MPI_Waitall(chunks, going[b], MPI_STATUSES_IGNORE);
}

static void message(void) { // all ranks at once, as in the ring
    MPI_Request request[2];
    MPI_Irecv(in[0], (int)n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out[0], (int)n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static int hops(void) {
    return 1;
}

static void compute(void) { // one step of it
    step(0, out[0], in[1], 0, n);
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    for (int b = 0; b < 2; b++) {
        out[b] = own_pages((size_t)n * sizeof(double));
        in[b] = own_pages((size_t)n * sizeof(double));
        coming[b] = calloc((size_t)n, sizeof(MPI_Request));
        going[b] = calloc((size_t)n, sizeof(MPI_Request));
        if (!out[b] || !in[b] || !coming[b] || !going[b]) give_up("no memory for %ld bytes", option.bytes);
    }
}

static void reset(void) {
    for (int b = 0; b < 2; b++) {
        memset(out[b], 0xff, (size_t)n * sizeof(double));
        memset(in[b], 0xff, (size_t)n * sizeof(double));
    }
}

static struct Result result(void) {
    return (struct Result){in[(STEPS - 1) % 2], (size_t)n * sizeof(double)};
}

const struct Kernel *kernel(void) {
    static const struct Kernel ring = {.name = "ring",
                                       .set_up = set_up,
                                       .reset = reset,
                                       .message = message,
                                       .message_hops = hops,
                                       .compute = compute,
                                       .plain = plain,
                                       .delta = delta,
                                       .hand = hand,
                                       .result = result};
    return &ring;
}
