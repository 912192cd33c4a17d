// Two messages in one array: the second loop does not write the first one.
// RUN: %remarks
#include <mpi.h>

void halos(const double *restrict u, double *restrict b, int n, int above, int below) {
  for (int i = 0; i < n; ++i)
    b[i] = u[i] * 2;
  for (int i = 0; i < n; ++i)
    b[n + i] = u[i] * 3;
  MPI_Send(b, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Send(b + n, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]]
}
