/* Two ranks exchange messages of 8 bytes to 1 MiB with the usual calls, by both names of each, and look at every byte.
 * Per size and rank: one Send, one Recv, one Isend, one Irecv, one Waitall, one Sendrecv as MPI_, the same as PMPI_. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20 };

static unsigned char *out, *in;
static int rank, other, wrong;

static unsigned char byte(int sender, int size, int tag, int i) {
    return (unsigned char)(sender * 31 + size * 7 + tag * 13 + i * 17 + (i >> 8));
}

static void fill(int size, int tag) {
    for (int i = 0; i < size; ++i) out[i] = byte(rank, size, tag, i);
    for (int i = 0; i < size; ++i) in[i] = 0xee;
}

static void check(int size, int tag, const MPI_Status *status) {
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != size || status->MPI_SOURCE != other || status->MPI_TAG != tag) ++wrong;
    for (int i = 0; i < size; ++i) wrong += in[i] != byte(other, size, tag, i);
}

#define EXCHANGE(P)                                                                                                    \
    static void exchange_##P(int size) {                                                                               \
        MPI_Status status, statuses[2];                                                                                \
        MPI_Request requests[2];                                                                                       \
        fill(size, 1);                                                                                                 \
        if (rank == 0) P##Send(out, size, MPI_BYTE, other, 1, MPI_COMM_WORLD);                                         \
        P##Recv(in, size, MPI_BYTE, other, 1, MPI_COMM_WORLD, &status);                                                \
        if (rank == 1) P##Send(out, size, MPI_BYTE, other, 1, MPI_COMM_WORLD);                                         \
        check(size, 1, &status);                                                                                       \
        fill(size, 2);                                                                                                 \
        P##Irecv(in, size, MPI_BYTE, other, 2, MPI_COMM_WORLD, &requests[0]);                                          \
        P##Isend(out, size, MPI_BYTE, other, 2, MPI_COMM_WORLD, &requests[1]);                                         \
        P##Waitall(2, requests, statuses);                                                                             \
        check(size, 2, &statuses[0]);                                                                                  \
        fill(size, 3);                                                                                                 \
        P##Sendrecv(out, size, MPI_BYTE, other, 3, in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, \
                    &status);                                                                                          \
        check(size, 3, &status);                                                                                       \
    }
EXCHANGE(MPI_)
EXCHANGE(PMPI_)

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    out = (unsigned char *)malloc(LARGEST);
    in = (unsigned char *)malloc(LARGEST);
    int sizes = 0;
    for (int size = 8; size <= LARGEST; size *= 2, ++sizes) {
        exchange_MPI_(size);
        exchange_PMPI_(size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("rank %d: %d sizes, %d wrong\n", rank, sizes, wrong);
    free(out);
    free(in);
    return wrong != 0;
}
