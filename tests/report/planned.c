/* A program for stretto-cc: one message cannot leave early, and the other rank waits for it (test_plan.py). */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 200000 };

static void give(double *b, int n) {
    for (int i = 0; i < n; i++) b[i] = i;
    b[0] = 1;                                         /* line: again */
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); /* line: send */
}

static double take(double *b, int n) {
    double sum = 0;
    MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line: receive */
    for (int i = 0; i < n; i++) sum += b[i];
    return sum;
}

int main(int argc, char **argv) {
    double *b = malloc(N * sizeof *b), sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 3; turn++) {
        if (rank == 0) {
            usleep(20000);
            give(b, N);
        }
        if (rank == 1) sum += take(b, N);
    }
    MPI_Finalize();
    return sum < 0;
}
