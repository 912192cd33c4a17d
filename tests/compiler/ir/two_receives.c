// Two receives, then one loop over both.
// RUN: %remarks
#include <mpi.h>

double product(double *restrict b, double *restrict c, int n) {
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+3]]
  MPI_Recv(c, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += b[i] * c[i];
  return sum;
}
