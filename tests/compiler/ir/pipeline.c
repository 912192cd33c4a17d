// Receive, compute, send: a stage of a pipeline.
// RUN: %remarks
#include <math.h>
#include <mpi.h>

void stage(double *restrict in, double *restrict out, int n, int me) {
  MPI_Recv(in, n, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i)
    out[i] = sqrt(in[i]);
  MPI_Send(out, n, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
