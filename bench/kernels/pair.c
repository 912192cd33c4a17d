// pair: the smallest pipeline. Rank 0 computes an array and sends it; rank 1 receives it, does the same computation and
// compares (Bao et al. 2012, section III.A).
//
//   plain = 2 Tc + Tm     ideal = max(Tc, Tm)     so at most 3 times faster, where Tc = Tm
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

static double *data;
static long n;

static void fill(double *a, long from, long to) {
    for (long i = from; i < to; i++) {
        a[i] = element(i);
        worked(1);
    }
}

static long differences(const double *a, long from, long to) {
    long found = 0;
    for (long i = from; i < to; i++) {
        found += a[i] != element(i);
        worked(1);
    }
    return found;
}

// As in any MPI program: compute everything, send it, receive it, use it. Procedures with arguments, as in Fortran: nothing else overlaps
// these.
__attribute__((noinline)) static void produce(double *restrict a, long n) {
    for (long i = 0; i < n; i++) {
        a[i] = element(i);
        worked(1);
    }
    MPI_Send(a, (int)n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void consume(double *restrict a, long n) {
    long found = 0;
    MPI_Recv(a, (int)n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; i++) {
        found += a[i] != element(i);
        worked(1);
    }
    wrong += found;
}

static void plain(void) {
    if (rank == 0) produce(data, n);
    if (rank == 1) consume(data, n);
}

// The same with annotations: what is computed may leave, what is used must have come.
static void delta(void) {
    if (rank == 0) {
        MPI_Request request;
        MPIX_Delta_send_begin(data, (int)n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        for (long a = 0; a < n; a += STRIP) {
            long b = least(a + STRIP, n);
            fill(data, a, b);
            MPIX_Delta_send_data(data + a, (size_t)(b - a) * sizeof *data);
        }
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPIX_Delta_recv(data, (int)n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long a = 0; a < n; a += STRIP) {
            long b = least(a + STRIP, n);
            MPIX_Delta_wait_data(data + a, (size_t)(b - a) * sizeof *data);
            wrong += differences(data, a, b);
        }
        MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE);
    }
}

// By hand: a chunk leaves as soon as it is computed, and is used as soon as it has come; receives are posted ahead.
static MPI_Request *requests;

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes / (long)sizeof *data;
    int k = 0;
    if (rank == 0) {
        for (long a = 0; a < n; a += chunk) {
            long b = least(a + chunk, n);
            fill(data, a, b);
            MPI_Isend(data + a, (int)(b - a), MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[k++]);
        }
        MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        for (long a = 0; a < n; a += chunk)
            MPI_Irecv(data + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[k++]);
        k = 0;
        for (long a = 0; a < n; a += chunk) {
            long b = least(a + chunk, n);
            MPI_Wait(&requests[k++], MPI_STATUS_IGNORE);
            wrong += differences(data, a, b);
        }
    }
}

static void message(void) {
    if (rank == 0) MPI_Send(data, (int)n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, (int)n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return 1;
}

static void compute(void) {
    fill(data, 0, n);
}

static void set_up(void) {
    if (ranks != 2) give_up("needs 2 ranks, not %d", ranks);
    n = option.elements;
    free(data);
    free(requests);
    data = own_pages((size_t)n * sizeof(double));
    requests = calloc((size_t)n, sizeof *requests);
    if (!data || !requests) give_up("no memory for %ld bytes", option.bytes);
}

static void reset(void) {
    memset(data, 0xff, (size_t)n * sizeof *data);
}

static struct Result result(void) {
    return (struct Result){data, (size_t)n * sizeof *data};
}

const struct Kernel *kernel(void) {
    static const struct Kernel pair = {.name = "pair",
                                       .set_up = set_up,
                                       .reset = reset,
                                       .message = message,
                                       .message_hops = hops,
                                       .compute = compute,
                                       .plain = plain,
                                       .delta = delta,
                                       .hand = hand,
                                       .result = result};
    return &pair;
}
