// A part is written again after the loop.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  b[0] = 3;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the message is written again after the loop (line [[@LINE-1]]); write that part before the loop
}
