// Each turn receives and adds; the sum leaves in the last turn.
// RUN: %remarks
#include <mpi.h>

void reduce(double *restrict b, double *restrict in, int n, int ranks, int dest) {
  for (int k = 1; k < ranks; ++k) {
    MPI_Recv(in, n, MPI_DOUBLE, k, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
    for (int i = 0; i < n; ++i)
      b[i] += in[i];
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], in the last sweep
}
