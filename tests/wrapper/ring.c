// Each rank passes a row of numbers on to the next one. Also compiled as C++.
#include <mpi.h>
#include <stdio.h>

enum { length = 100000 };
static double row[length], from_left[length];

int main(int argc, char **argv) {
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < length; i++) row[i] = rank + 0.5 * i;
    MPI_Request sent;
    MPI_Isend(row, length, MPI_DOUBLE, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &sent);
    const int left = (rank + ranks - 1) % ranks;
    MPI_Recv(from_left, length, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < length; i++) wrong += from_left[i] != left + 0.5 * i;
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
