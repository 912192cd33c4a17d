// Two non-blocking sends after two loops.
// RUN: %remarks
#include <mpi.h>

void halos(const double *restrict u, double *restrict up, double *restrict down, int n, int above, int below) {
  MPI_Request requests[2];
  for (int j = 0; j < n; ++j)
    up[j] = u[j] * 0.5;
  for (int j = 0; j < n; ++j)
    down[j] = u[3 * n + j] * 0.5;
  MPI_Isend(up, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[0]); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Isend(down, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[1]); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]]
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
