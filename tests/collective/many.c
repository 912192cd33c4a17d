/* many COMMUNICATORS [SHARED]: a large MPI_Ibcast is under way on each of so many communicators at once. They are made by rank 0 and each other rank
 * in turn, so that rank 0 has more of them than anybody else, if SHARED is 0; else by all ranks. Prints "all right" on each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 2500 }; /* integers */

static int value(int communicator, int at) {
    return communicator * 7919 + at;
}

int main(int argc, char **argv) {
    int rank, ranks, wrong = 0;
    const int number = argc > 1 ? atoi(argv[1]) : 0, shared = argc > 2 && atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm *comms = malloc(number * sizeof *comms);
    MPI_Request *requests = malloc(number * sizeof *requests);
    int *all = calloc(number, N * sizeof *all);
    for (int k = 0; k < number; k++) {
        const int takes_part = shared || rank == 0 || rank == 1 + k % (ranks - 1);
        MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, rank, &comms[k]);
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < number; k++) {
            int *mine = all + (size_t)k * N, here, size;
            requests[k] = MPI_REQUEST_NULL;
            if (comms[k] == MPI_COMM_NULL) continue;
            MPI_Comm_rank(comms[k], &here);
            MPI_Comm_size(comms[k], &size);
            const int root = (k + turn) % size;
            for (int at = 0; at < N; at++) mine[at] = here == root ? value(k + turn, at) : -1;
            MPI_Ibcast(mine, N, MPI_INT, root, comms[k], &requests[k]);
        }
        MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < number; k++)
            for (int at = 0; at < N && comms[k] != MPI_COMM_NULL; at++)
                wrong += all[(size_t)k * N + at] != value(k + turn, at);
    }
    /* What is given back may be used again. */
    MPI_Comm again;
    for (int k = 0; k < number; k++)
        if (comms[k] != MPI_COMM_NULL) MPI_Comm_free(&comms[k]);
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    for (int at = 0; at < N; at++) all[at] = rank ? -1 : value(1, at);
    MPI_Ibcast(all, N, MPI_INT, 0, again, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    for (int at = 0; at < N; at++) wrong += all[at] != value(1, at);
    MPI_Comm_free(&again);
    if (wrong)
        printf("rank %d: %d wrong\n", rank, wrong);
    else
        printf("rank %d: all right\n", rank);
    free(all), free(requests), free(comms);
    return MPI_Finalize() || wrong;
}
