// A column of a grid is packed.
// RUN: %remarks
#include <mpi.h>

void pack(double *buf, const double *u, int n, int dest) {
  for (int i = 0; i < n; ++i)
    buf[i] = u[(long)i * n];
  MPI_Send(buf, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
}
