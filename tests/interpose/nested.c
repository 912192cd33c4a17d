/* nested FOLDER: a file written collectively, collectives, communicators: what an MPI library calls MPI itself for, while a large message
 * of the program is under way. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 16 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int *out = (int *)malloc(4 * N * sizeof(int)), *in = (int *)malloc(4 * N * sizeof(int));
    int *mine = (int *)malloc(N * sizeof(int)), *read = (int *)malloc(N * sizeof(int));
    for (int i = 0; i < 4 * N; ++i) out[i] = rank * 1000003 + i;
    for (int i = 0; i < N; ++i) mine[i] = rank * 7919 + i;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Irecv(in, 4 * N, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 4 * N, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);

    /* Interleaved elements, so that two-phase I/O really exchanges data. */
    char path[4096];
    snprintf(path, sizeof path, "%s/written", argc > 1 ? argv[1] : ".");
    MPI_Datatype strided;
    MPI_Type_vector(N / 16, 16, 16 * size, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_File file;
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) ++wrong;
    MPI_File_set_view(file, (MPI_Offset)rank * 16 * sizeof(int), MPI_INT, strided, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, mine, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, read, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i) wrong += read[i] != mine[i];
    MPI_File_close(&file);
    MPI_Type_free(&strided);

    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int sum = rank, expected = size * (size - 1) / 2;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != expected;
    MPI_Bcast(mine, N, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; ++i) wrong += mine[i] != i;
    MPI_Comm_free(&half);

    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 4 * N; ++i) wrong += in[i] != previous * 1000003 + i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) remove(path);
    MPI_Finalize();
    printf("rank %d: %d wrong\n", rank, wrong);
    free(out), free(in), free(mine), free(read);
    return wrong != 0;
}
