// One loop fills two messages.
// RUN: %remarks
#include <mpi.h>

void pack(const double *restrict u, double *restrict up, double *restrict down, int n, int above, int below) {
  for (int j = 0; j < n; ++j) {
    up[j] = u[j] * 0.5;
    down[j] = u[j] * 0.25;
  }
  MPI_Send(up, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Send(down, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-5]]
}
