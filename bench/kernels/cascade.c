// cascade: p ranks in a line. Each receives an array from the rank before it, adds its own computation to every element
// and sends the array on (Bao et al. 2012, section III.A). Plain, only one rank works at a time.
//
//   plain = p Tc + (p-1) Tm     ideal = max(Tc, Tm)     so at most 2p-1 times faster, where Tc = Tm
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

static double *data;
static long n;
static int before, behind; // MPI_PROC_NULL where nobody is

static int first(void) {
    return rank == 0;
}
static int last(void) {
    return rank == ranks - 1;
}

static void add(double *a, long from, long to) {
    for (long i = from; i < to; i++) {
        a[i] += element(i);
        worked(1);
    }
}

static void compute(void) {
    add(data, 0, n);
}

__attribute__((noinline)) static void pass_on(double *restrict a, long n, int before, int behind) {
    MPI_Recv(a, (int)n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; i++) {
        a[i] += element(i);
        worked(1);
    }
    MPI_Send(a, (int)n, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD);
}

static void plain(void) {
    pass_on(data, n, before, behind);
}

static void delta(void) {
    MPI_Request request;
    if (!first()) MPIX_Delta_recv(data, (int)n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!last()) MPIX_Delta_send_begin(data, (int)n, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD, &request);
    for (long a = 0; a < n; a += STRIP) {
        long b = least(a + STRIP, n);
        MPIX_Delta_wait_data(data + a, (size_t)(b - a) * sizeof *data);
        add(data, a, b);
        MPIX_Delta_send_data(data + a, (size_t)(b - a) * sizeof *data);
    }
    if (!first()) MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE);
    if (!last()) {
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
}

static MPI_Request *coming, *going;

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes / (long)sizeof *data;
    int k = 0;
    if (!first())
        for (long a = 0; a < n; a += chunk)
            MPI_Irecv(data + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &coming[k++]);
    k = 0;
    for (long a = 0; a < n; a += chunk, k++) {
        long b = least(a + chunk, n);
        if (!first()) MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
        add(data, a, b);
        if (!last()) MPI_Isend(data + a, (int)(b - a), MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &going[k]);
    }
    if (!last()) MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
}

static void message(void) {
    MPI_Recv(data, (int)n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, (int)n, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD);
}

static int hops(void) {
    return ranks - 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    before = first() ? MPI_PROC_NULL : rank - 1;
    behind = last() ? MPI_PROC_NULL : rank + 1;
    data = own_pages((size_t)n * sizeof(double));
    coming = calloc((size_t)n, sizeof *coming);
    going = calloc((size_t)n, sizeof *going);
    if (!data || !coming || !going) give_up("no memory for %ld bytes", option.bytes);
}

static void reset(void) {
    memset(data, first() ? 0 : 0xff, (size_t)n * sizeof *data);
}

// The last rank holds p times the element, added one by one.
static struct Result result(void) {
    if (!last()) return (struct Result){0};
    return (struct Result){data, (size_t)n * sizeof *data};
}

const struct Kernel *kernel(void) {
    static const struct Kernel cascade = {.name = "cascade",
                                          .set_up = set_up,
                                          .reset = reset,
                                          .message = message,
                                          .message_hops = hops,
                                          .compute = compute,
                                          .plain = plain,
                                          .delta = delta,
                                          .hand = hand,
                                          .result = result};
    return &cascade;
}
