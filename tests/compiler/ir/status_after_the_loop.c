// The status is used after the loop, and the result of the call.
// RUN: %remarks
#include <mpi.h>

int sum(double *b, int n, double *restrict sum) {
  MPI_Status status;
  int result = MPI_Recv(b, n, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i)
    *sum += b[i];
  return result ? -1 : status.MPI_SOURCE;
}
