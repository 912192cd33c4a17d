// The loop is over within one strip: nothing would leave early.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const double *restrict a, int dest) {
  for (int i = 0; i < 1000; ++i)
    b[i] = a[i] * 2;
  MPI_Send(b, 1000, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the loop is over within one strip: 8000 bytes (line [[@LINE-2]])
}
