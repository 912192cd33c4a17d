// Every step writes the contribution anew, when the result of the step before has been read.
// RUN: %remarks
#include <math.h>
#include <mpi.h>

void steps(double *restrict a, double *restrict b, double *restrict u, int steps, int n) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < 65536; ++i)
      a[i] = sin(u[i]);
    MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations, and ends inside the loop at line [[@LINE+1]]
    for (int i = 0; i < 65536; ++i)
      u[i] = b[i] * 0.5;
  }
}
