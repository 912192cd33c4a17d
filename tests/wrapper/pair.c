/* Rank 0 computes a message and sends it, rank 1 receives it and uses it: in loops that a compiler can cut. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const int n = 100003;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *a = malloc(n * sizeof *a), sum = 0;
    for (int turn = 0; turn < 8; turn++) {
        if (rank == 0) {
            for (int i = 0; i < n; i++) a[i] = (i % 1000) * 0.25 + turn;
            MPI_Send(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Status status;
            MPI_Recv(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);
            for (int i = 0; i < n; i++) sum += a[i] * (i % 7);
            sum += status.MPI_SOURCE;
        }
    }
    if (rank == 1) printf("%.17g\n", sum);
    free(a);
    MPI_Finalize();
    return 0;
}
