// The status is used before the loop.
// RUN: %remarks
#include <mpi.h>

int sum(double *b, int n, double *sum) {
  MPI_Status status;
  MPI_Recv(b, n, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status); // CHECK: receive at line [[@LINE]] stays as it is: it may use the status of the receive (line [[@LINE+1]]); look at it after the loop, or use MPI_STATUS_IGNORE
  int who = status.MPI_SOURCE;
  for (int i = 0; i < n; ++i)
    *sum += b[i] * who;
  return who;
}
