// Pack, send, pack, send.
// RUN: %remarks
#include <mpi.h>

void halos(const double *restrict u, double *restrict up, double *restrict down, int n, int dest) {
  for (int j = 0; j < n; ++j)
    up[j] = u[n + j] * 0.5;
  MPI_Send(up, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  for (int j = 0; j < n; ++j)
    down[j] = u[3 * n + j] * 0.5;
  MPI_Send(down, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
