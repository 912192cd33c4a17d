// The last turn of two loops around.
// RUN: %remarks
#include <mpi.h>

void accumulate(double *restrict b, const double *restrict a, int n, int m, int dest) {
  for (int l = 0; l < m; ++l)
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < n; ++i)
        b[i] = b[i] * a[k] + a[l];
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], in the last sweep
}
