// The loop may be left early: what is filled by then leaves in strips, the rest at the end.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const double *restrict a, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    if (a[i] < 0)
      break;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-5]], strips of 2048 iterations
}
