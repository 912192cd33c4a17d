// Filled first, sent last: begins would not come in the order of the sends.
// RUN: %remarks
#include <mpi.h>

void pack(const double *restrict u, double *restrict up, double *restrict down, int n, int above, int below) {
  for (int j = 0; j < n; ++j)
    down[j] = u[3 * n + j] * 0.5;
  for (int j = 0; j < n; ++j)
    up[j] = u[j] * 0.5;
  MPI_Send(up, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  MPI_Send(down, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the messages are filled in another order than they are sent (line [[@LINE-1]]); send first what is filled first
}
