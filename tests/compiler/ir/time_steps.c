// The loop and the send stand in a loop over time steps.
// RUN: %remarks
#include <mpi.h>

void stencil(const double *u, double *row, int n, int steps, int dest) {
  for (int t = 0; t < steps; ++t) {
    for (int j = 1; j < n - 1; ++j)
      row[j] = 0.25 * (u[j - 1] + u[j + 1] + u[n + j] + u[2 * n + j]);
    MPI_Send(row, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  }
}
