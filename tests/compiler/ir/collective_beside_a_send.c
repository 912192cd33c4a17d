// A begin may wait for the other ranks, and they for the send: nothing communicates between the loop and the call.
// RUN: %remarks
#include <mpi.h>

void both(double *restrict a, double *restrict b, double *restrict c, int n, int to) {
  for (int i = 0; i < 65536; ++i) {
    a[i] = i * 0.5;
    c[i] = i * 0.25;
  }
  MPI_Send(c, n, MPI_DOUBLE, to, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is
}
