/* Whether a blocking collective is Stretto's changes in the middle of a program, by what its ranks measure: which each of them measures
 * differently here. Results are those of MPI, and all ranks choose alike, or they would wait for each other for ever. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 400, MOST = 4000 };

static int ranks;

/* Some ranks compute now and then, so that no two measure the same. */
static void compute(int call) {
    if (call % (rank + 2) == 0) usleep((useconds_t)(50 * (call % 5)));
}

static void alltoall(MPI_Comm comm, int *from, int *to, int n, int call) {
    for (int k = 0; k < n * ranks; k++) from[k] = rank * 100000 + call + k;
    MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, comm);
    int good = 1;
    for (int peer = 0; peer < ranks; peer++)
        for (int k = 0; k < n; k++) good &= to[peer * n + k] == peer * 100000 + call + rank * n + k;
    CHECK(good && "MPI_Alltoall", call);
}

static void allgather(MPI_Comm comm, int *from, int *to, int n, int call) {
    for (int k = 0; k < n; k++) from[k] = rank * 7 + call + k;
    MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm);
    int good = 1;
    for (int peer = 0; peer < ranks; peer++)
        for (int k = 0; k < n; k++) good &= to[peer * n + k] == peer * 7 + call + k;
    CHECK(good && "MPI_Allgather", call);
}

static void bcast(MPI_Comm comm, int *from, int *to, int n, int call) {
    const int root = call / 7 % ranks;
    (void)from;
    for (int k = 0; k < n; k++) to[k] = rank == root ? call + k : -1;
    MPI_Bcast(to, n, MPI_INT, root, comm);
    int good = 1;
    for (int k = 0; k < n; k++) good &= to[k] == call + k;
    CHECK(good && "MPI_Bcast", call);
}

static void allreduce(MPI_Comm comm, int *from, int *to, int n, int call) {
    for (int k = 0; k < n; k++) from[k] = rank + call + k;
    MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, comm);
    int good = 1;
    for (int k = 0; k < n; k++) good &= to[k] == ranks * (call + k) + ranks * (ranks - 1) / 2;
    CHECK(good && "MPI_Allreduce", call);
}

int main(int argc, char **argv) {
    void (*const collectives[])(MPI_Comm, int *, int *, int, int) = {alltoall, allgather, bcast, allreduce};
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &other);
    int *from = malloc(sizeof(int) * (size_t)(MOST * ranks)), *to = malloc(sizeof(int) * (size_t)(MOST * ranks));
    for (int call = 0; call < CALLS; call++) {
        for (int k = 0; k < 4; k++) {
            compute(call + k);
            collectives[k](MPI_COMM_WORLD, from, to, 2000, call);
            /* of many sizes, on another communicator */
            collectives[k](other, from, to, 1100 + call * 37 % 2900, call);
        }
    }
    MPI_Comm_free(&other);
    if (rank == 0) printf("%d calls\n", CALLS);
    free(from), free(to);
    MPI_Finalize();
    return 0;
}
