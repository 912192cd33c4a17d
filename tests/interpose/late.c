/* A library that a program loads while it runs, and that is bound to PMPI_ names: the receiver's and the sender's whole work. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20 };

int late_exchange(void) {
    int initialized, rank, wrong = 0, sizes = 0;
    PMPI_Initialized(&initialized);
    if (!initialized) PMPI_Init(NULL, NULL);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *data = (unsigned char *)malloc(LARGEST);
    for (int size = 8; size <= LARGEST; size *= 2, ++sizes) {
        for (int i = 0; i < size; ++i) data[i] = rank == 0 ? (unsigned char)(i * 7 + size) : 0;
        MPI_Status status;
        if (rank == 0) PMPI_Send(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) PMPI_Recv(data, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        for (int i = 0; i < size; ++i) wrong += data[i] != (unsigned char)(i * 7 + size);
    }
    free(data);
    if (!initialized) PMPI_Finalize();
    printf("rank %d: %d sizes, %d wrong\n", rank, sizes, wrong);
    return wrong != 0;
}
