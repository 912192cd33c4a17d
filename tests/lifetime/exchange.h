/* Messages of each kind, as a program's library may exchange before, in and after main. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <mpi.h>
#include <stdlib.h>

enum { MANY = 1 << 17, BLOCKS = 6 };

static int differ(const int *block, int from) {
    int wrong = 0;
    for (int k = 0; k < MANY; k++) wrong += block[k] != from + k;
    return wrong;
}

static void number(int *block, int from) {
    for (int k = 0; k < MANY; k++) block[k] = from + k;
}

/* 0, if two ranks got what they sent each other: in one message, in several that are waited for together, in collectives. */
static int exchange(void) {
    MPI_Comm comm;
    MPI_Request request[2 * BLOCKS];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int rank, wrong = 0, sum = 0, *blocks = (int *)malloc(2 * BLOCKS * MANY * sizeof *blocks);
    MPI_Comm_rank(comm, &rank);
    const int peer = 1 - rank;

    number(blocks, 1);
    if (rank == 0) MPI_Send(blocks, MANY, MPI_INT, peer, 0, comm);
    if (rank == 1) MPI_Recv(blocks + MANY, MANY, MPI_INT, peer, 0, comm, MPI_STATUS_IGNORE);
    if (rank == 1) wrong += differ(blocks + MANY, 1);

    for (int k = 0; k < BLOCKS; k++) {
        int *const mine = blocks + k * MANY, *const its = blocks + (BLOCKS + k) * MANY;
        number(mine, rank + k);
        MPI_Irecv(its, MANY, MPI_INT, peer, k, comm, request + k);
        MPI_Isend(mine, MANY, MPI_INT, peer, k, comm, request + BLOCKS + k);
    }
    MPI_Waitall(2 * BLOCKS, request, MPI_STATUSES_IGNORE);
    for (int k = 0; k < BLOCKS; k++) wrong += differ(blocks + (BLOCKS + k) * MANY, peer + k);

    if (rank == 0) number(blocks, 2);
    MPI_Bcast(blocks, MANY, MPI_INT, 0, comm);
    wrong += differ(blocks, 2);
    number(blocks, rank), number(blocks + MANY, rank);
    MPI_Ialltoall(blocks, MANY, MPI_INT, blocks + 2 * MANY, MANY, MPI_INT, comm, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    wrong += differ(blocks + 2 * MANY, 0) + differ(blocks + 3 * MANY, 1);

    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, comm);
    free(blocks);
    MPI_Comm_free(&comm);
    return sum;
}

#endif
