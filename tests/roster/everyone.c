/* Every rank sends a large message to every other, and looks at every byte that it receives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { bytes = 200000 };

static char byte_of(int from, int to, int place) {
    return (char)(place * 31 + from * 7 + to);
}

int main(int argc, char **argv) {
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = malloc((size_t)ranks * bytes), *in = calloc((size_t)ranks, bytes);
    MPI_Request *requests = malloc(2 * (size_t)ranks * sizeof *requests);
    for (int peer = 0; peer < ranks; peer++) {
        for (int i = 0; i < bytes; i++) out[(size_t)peer * bytes + i] = byte_of(rank, peer, i);
        MPI_Irecv(in + (size_t)peer * bytes, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[2 * peer]);
        MPI_Isend(out + (size_t)peer * bytes, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[2 * peer + 1]);
    }
    MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < ranks; peer++)
        for (int i = 0; i < bytes; i++) wrong += in[(size_t)peer * bytes + i] != byte_of(peer, rank, i);
    if (wrong) printf("rank %d: %d bytes are wrong\n", rank, wrong);
    free(out);
    free(in);
    free(requests);
    MPI_Finalize();
    return wrong != 0;
}
