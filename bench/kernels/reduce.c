// reduce: the sum of p arrays, by a binary tree of ranks. Each computes its own array, adds those of its children and
// sends the sum to its parent (Bao et al. 2012, section III.A). Rank r's children are 2r+1 and 2r+2.
//
//   plain = F(0) with F(r) = Tc, then for each child c in turn: F(r) = max(F(r), F(c)) + Tm
//   ideal = max(Tc, C Tm), C the most children that a rank has: its link carries as many messages
//
// Both leave out the additions, which take a few thousandths of Tc. Four ranks and Tc = Tm: (1 + 3) / 2, twice as fast.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

static double *sum, *from_child[2];
static long n;
static int parent, children, child[2];

static void own(double *a, long from, long to) {
    for (long i = from; i < to; i++) {
        a[i] = rank + element(i);
        worked(1);
    }
}

// Child by child, so that every variant adds in the same order.
static void add(double *a, const double *more, long from, long to) {
    for (long i = from; i < to; i++) a[i] += more[i];
}

static void compute(void) {
    own(sum, 0, n);
}

__attribute__((noinline)) static void leaf(double *restrict a, long n, int parent) {
    const double own = rank;
    for (long i = 0; i < n; i++) {
        a[i] = own + element(i);
        worked(1);
    }
    MPI_Send(a, (int)n, MPI_DOUBLE, parent, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void add_from_child(double *restrict a, double *restrict more, long n, int from) {
    MPI_Recv(more, (int)n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; i++) a[i] += more[i];
}

__attribute__((noinline)) static void add_and_pass_on(double *restrict a, double *restrict more, long n, int from,
                                                      int parent) {
    MPI_Recv(more, (int)n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < n; i++) a[i] += more[i];
    MPI_Send(a, (int)n, MPI_DOUBLE, parent, 0, MPI_COMM_WORLD);
}

static void plain(void) {
    if (children == 0) {
        leaf(sum, n, parent);
        return;
    }
    own(sum, 0, n);
    for (int c = 0; c < children; c++)
        if (parent >= 0 && c == children - 1)
            add_and_pass_on(sum, from_child[c], n, child[c], parent);
        else
            add_from_child(sum, from_child[c], n, child[c]);
}

static void delta(void) {
    MPI_Request request;
    if (parent >= 0) MPIX_Delta_send_begin(sum, (int)n, MPI_DOUBLE, parent, 0, MPI_COMM_WORLD, &request);
    for (int c = 0; c < children; c++)
        MPIX_Delta_recv(from_child[c], (int)n, MPI_DOUBLE, child[c], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long a = 0; a < n; a += STRIP) {
        long b = least(a + STRIP, n);
        own(sum, a, b);
        for (int c = 0; c < children; c++) {
            MPIX_Delta_wait_data(from_child[c] + a, (size_t)(b - a) * sizeof *sum);
            add(sum, from_child[c], a, b);
        }
        MPIX_Delta_send_data(sum + a, (size_t)(b - a) * sizeof *sum);
    }
    for (int c = 0; c < children; c++) MPIX_Delta_recv_end(from_child[c], MPI_STATUS_IGNORE);
    if (parent >= 0) {
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
}

static MPI_Request *coming[2], *going;

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes / (long)sizeof *sum;
    int k = 0;
    for (long a = 0; a < n; a += chunk, k++)
        for (int c = 0; c < children; c++)
            MPI_Irecv(from_child[c] + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, child[c], 1, MPI_COMM_WORLD,
                      &coming[c][k]);
    k = 0;
    for (long a = 0; a < n; a += chunk, k++) {
        long b = least(a + chunk, n);
        own(sum, a, b);
        for (int c = 0; c < children; c++) {
            MPI_Wait(&coming[c][k], MPI_STATUS_IGNORE);
            add(sum, from_child[c], a, b);
        }
        if (parent >= 0) MPI_Isend(sum + a, (int)(b - a), MPI_DOUBLE, parent, 1, MPI_COMM_WORLD, &going[k]);
    }
    if (parent >= 0) MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
}

static void message(void) { // rank 1 to rank 0: a link with nothing else on it
    if (rank == 1) MPI_Send(sum, (int)n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(from_child[0], (int)n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    parent = rank == 0 ? -1 : (rank - 1) / 2;
    for (int c = 2 * rank + 1; c <= 2 * rank + 2 && c < ranks; c++) child[children++] = c;
    sum = own_pages((size_t)n * sizeof(double));
    going = calloc((size_t)n, sizeof *going);
    for (int c = 0; c < 2; c++) {
        from_child[c] = own_pages((size_t)n * sizeof(double));
        coming[c] = calloc((size_t)n, sizeof *going);
        if (!sum || !going || !from_child[c] || !coming[c]) give_up("no memory for %ld bytes", option.bytes);
    }
}

static void reset(void) {
    memset(sum, 0xff, (size_t)n * sizeof *sum);
    for (int c = 0; c < 2; c++) memset(from_child[c], 0xff, (size_t)n * sizeof *sum);
}

static struct Result result(void) {
    if (rank != 0) return (struct Result){0};
    return (struct Result){sum, (size_t)n * sizeof *sum};
}

const struct Kernel *kernel(void) {
    static const struct Kernel reduce = {.name = "reduce",
                                         .set_up = set_up,
                                         .reset = reset,
                                         .message = message,
                                         .message_hops = hops,
                                         .compute = compute,
                                         .plain = plain,
                                         .delta = delta,
                                         .hand = hand,
                                         .result = result};
    return &reduce;
}
