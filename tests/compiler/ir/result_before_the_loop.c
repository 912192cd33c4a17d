// The result of the receive decides about the loop.
// RUN: %remarks
#include <mpi.h>

int sum(double *b, int n, double *sum) {
  int result = MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // CHECK: receive at line [[@LINE-1]] stays as it is: {{.*}}; look at it after the loop
  for (int i = 0; i < n; ++i)
    *sum += b[i] * result;
  return result;
}
