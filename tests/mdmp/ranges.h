/* Each function here has directives whose ranges a loop fills, or reads. A rank that gets a wrong value says so. In C and in C++. */
#include <stretto/mdmp.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40000, SHORT = 300, TURNS = 5 };
static int rank, ranks, prev, next, failed;

static void require(int holds, const char *what) {
    if (!holds && !failed++) fprintf(stderr, "rank %d: %s\n", rank, what);
}

static double value(int of, int turn, int k) {
    return of * 1000.0 + turn * 10.0 + k % 7 + k * 1e-6;
}

static double *values(int n) {
    double *memory = (double *)malloc(sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) memory[k] = -1;
    return memory;
}

/* Directives are not clang-format's to write. */
/* clang-format off */

/* A loop fills what the next turn sends, and reads what this one got. n is known while running only. */
static void a_ring_of_turns(int n) {
    double *out = values(n), *in = values(n);
    for (int k = 0; k < n; k++) out[k] = value(rank, 0, k);
    double sum = 0;
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
#pragma recv(in[0], n, prev)
#pragma send(out[0], n, next)
        for (int k = 0; k < n; k++) sum += in[k] * (1 + k % 3);
        for (int k = 0; k < n; k++) out[k] = value(rank, turn + 1, k);
    }
#pragma commregionfinished
    double expected = 0;
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < n; k++) expected += value(prev, turn, k) * (1 + k % 3);
    require(sum == expected, "a ring of turns");
    free(out), free(in);
}

/* Filled in front of its directive, in the same turn; read from its end. */
static void filled_in_front(int n) {
    double *out = values(n), *in = values(n);
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < n; k++) out[k] = value(rank, turn, k);
#pragma send(out[0:n], next)
#pragma recv(in[0:n], prev)
        int right = 1;
        for (int k = n - 1; k >= 0; k--) right &= in[k] == value(prev, turn, k);
        require(right, "filled in front");
    }
#pragma commregionfinished
    free(out), free(in);
}

/* Two messages to each neighbour: in their order, whichever is final first. */
static void two_to_one_partner(int n) {
    double *a = values(n), *b = values(n), *c = values(n), *d = values(n);
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < n; k++) a[k] = value(rank, turn, k);
        for (int k = 0; k < n / 2; k++) b[k] = value(rank, turn + 100, k);
#pragma send(a[0], n, next)
#pragma send(b[0], n / 2, next)
#pragma recv(c[0], n, prev)
#pragma recv(d[0], n / 2, prev)
        int right = 1;
        for (int k = 0; k < n; k++) right &= c[k] == value(prev, turn, k);
        for (int k = 0; k < n / 2; k++) right &= d[k] == value(prev, turn + 100, k);
        require(right, "two to one partner");
    }
#pragma commregionfinished
    free(a), free(b), free(c), free(d);
}

/* A short one beside a long one, and one that has no partner now and then. */
static void some_without_a_partner(int n) {
    double *out = values(n), *in = values(n), few[SHORT], got[SHORT];
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
        const int to = turn % 2 ? next : MPI_PROC_NULL, from = turn % 2 ? prev : MPI_PROC_NULL;
        for (int k = 0; k < n; k++) out[k] = value(rank, turn, k);
        for (int k = 0; k < SHORT; k++) few[k] = value(rank, -turn, k), got[k] = -1;
        for (int k = 0; k < n; k++) in[k] = -1;
#pragma recv(got[:], prev, tag(3))
#pragma recv(in[0], n, from)
#pragma send(few[:], next, tag(3))
#pragma send(out[0], n, to)
        int right = 1;
        for (int k = 0; k < SHORT; k++) right &= got[k] == value(prev, -turn, k);
        for (int k = 0; k < n; k++) right &= in[k] == (turn % 2 ? value(prev, turn, k) : -1);
        require(right, "some without a partner");
    }
#pragma commregionfinished
    free(out), free(in);
}

/* Short ones and a long one to the same partner: in the order of their directives. */
static void short_ones_around_a_long_one(int n, int few) {
    double *a = values(few), *b = values(n), *c = values(few), *d = values(few), *in = values(n), *got = values(few),
           *last = values(few), *none = values(few);
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
        const int nobody = turn % 2 ? MPI_PROC_NULL : next, no_one = turn % 2 ? MPI_PROC_NULL : prev;
        for (int k = few - 1; k >= 0; k--) a[k] = value(rank, turn + 100, k);
        for (int k = 0; k < n; k++) b[k] = value(rank, turn, k);
        for (int k = 0; k < few; k++) c[k] = value(rank, turn + 200, k);
        for (int k = 0; k < few; k++) d[k] = value(rank, turn + 300, k);
#pragma send(a[0], few, next)
#pragma send(b[0], n, next)
#pragma send(c[0], few, next)
#pragma send(d[0], few, nobody)
#pragma recv(got[0], few, prev)
#pragma recv(in[0], n, prev)
#pragma recv(last[0], few, prev)
#pragma recv(none[0], few, no_one)
        int right = 1;
        for (int k = 0; k < few; k++) right &= got[k] == value(prev, turn + 100, k);
        for (int k = 0; k < few; k++) right &= last[k] == value(prev, turn + 200, k);
        for (int k = 0; k < n; k++) right &= in[k] == value(prev, turn, k);
        for (int k = few - 1; k >= 0; k--) right &= none[k] == value(prev, turn / 2 * 2 + 300, k);
        require(right, "short ones around a long one");
    }
#pragma commregionfinished
    free(a), free(b), free(c), free(d), free(in), free(got), free(last), free(none);
}

/* A loop fills, and another one reads, more than is sent: its beginning, its end, one element in the middle, which is final before the end is. */
static void a_part_of_a_loop(int n, int few) {
    double *out = values(n), *in = values(n);
    if (n < 2 * few + 2) few = 0;
    const int end = n - few, middle = n / 2;
    for (int k = 0; k < n; k++) out[k] = value(rank, 0, k);
    double sum = 0;
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
#pragma recv(in[0], few, prev)
#pragma recv(in[end], few, prev)
#pragma recv(in[middle], 1, prev)
#pragma send(out[0], few, next)
#pragma send(out[end], few, next)
#pragma send(out[middle], 1, next)
        for (int k = 0; k < n; k++) sum += in[k] * (1 + k % 3);
        for (int k = 0; k < n; k++) out[k] = value(rank, turn + 1, k);
    }
#pragma commregionfinished
    double expected = 0;
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < n; k++)
            expected += (k < few || (k >= end && few) || k == middle ? value(prev, turn, k) : -1) * (1 + k % 3);
    require(sum == expected, "a part of a loop");
    free(out), free(in);
}

/* The first one of a region in another: the innermost region's communicator. */
static void regions_within_each_other(int n) {
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &others); /* the other way round */
    const int up = (ranks - 1 - rank + 1) % ranks, down = (2 * ranks - 2 - rank) % ranks;
    double *out = values(n), *in = values(n), *back = values(n);
#pragma commregion
#pragma commregion comm(others)
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < n; k++) out[k] = value(rank, turn, k);
#pragma send(out[0], n, up)
#pragma recv(in[0], n, down)
        int right = 1;
        for (int k = 0; k < n; k++) right &= in[k] == value((rank + 1) % ranks, turn, k);
        for (int k = 0; k < n; k++) out[k] = value(rank, turn + 50, k);
        if (rank % 2) { /* one by itself */
#pragma send(out[0], n, next, comm(MPI_COMM_WORLD))
        }
        if (ranks > 1) {
#pragma recv(back[0], n, prev, comm(MPI_COMM_WORLD))
        }
        if (rank % 2 == 0 && ranks > 1) {
#pragma send(out[0], n, next, comm(MPI_COMM_WORLD))
        }
        for (int k = 0; k < n && ranks > 1; k++) right &= back[k] == value(prev, turn + 50, k);
        require(right, "regions within each other");
    }
#pragma commregionfinished
#pragma commregionfinished
    MPI_Comm_free(&others);
    free(out), free(in), free(back);
}

/* What leaves by parts and what has gaps, in one program. */
static void rows_and_columns(void) {
    enum { SIDE = 150 };
    static double grid[SIDE + 2][SIDE + 2], copy[SIDE + 2][SIDE + 2];
    for (int i = 0; i < SIDE + 2; i++)
        for (int j = 0; j < SIDE + 2; j++) grid[i][j] = value(rank, i, j);
#pragma commregion
    for (int turn = 0; turn < TURNS; turn++) {
#pragma recv(grid[0][1:SIDE], prev)
#pragma send(grid[SIDE][1:SIDE], next)
#pragma recv(grid[1:SIDE][0], prev, tag(1))
#pragma send(grid[1:SIDE][SIDE], next, tag(1))
        for (int i = 1; i <= SIDE; i++)
            for (int j = 1; j <= SIDE; j++)
                copy[i][j] = 0.5 * grid[i - 1][j] + 0.25 * grid[i][j - 1] + 0.125 * grid[i + 1][j];
        for (int i = 1; i <= SIDE; i++)
            for (int j = 1; j <= SIDE; j++) grid[i][j] = copy[i][j];
    }
#pragma commregionfinished
    double sum = 0, all;
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) sum += grid[i][j] * (1 + (i + 3 * j) % 5);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("rows and columns: %a\n", all);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    prev = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
    const int sizes[] = {1, SHORT, 700, N};
    for (int k = 0; k < 4; k++) {
        a_ring_of_turns(sizes[k]);
        filled_in_front(sizes[k]);
        two_to_one_partner(sizes[k]);
        some_without_a_partner(sizes[k]);
        short_ones_around_a_long_one(sizes[k], 60 + argc);
        a_part_of_a_loop(sizes[k], 60 + argc);
        regions_within_each_other(sizes[k]);
    }
    rows_and_columns();
    int worst = failed;
    MPI_Allreduce(&failed, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !worst) puts("right");
    MPI_Finalize();
    return worst != 0;
}
