// Nobody knows how often the loop runs.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const double *restrict a, int n, int dest) {
  int i = 0;
  do {
    b[i] = a[i] + 1;
  } while (a[i++] > 0);
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations
}
