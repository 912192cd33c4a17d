// The loop computes how much there is to send: a receiver would see the most that it may be.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const double *restrict a, int n, int dest) {
  int i;
  for (i = 0; i < n; ++i) {
    if (a[i] < 0)
      break;
    b[i] = a[i] * 2;
  }
  MPI_Send(b, i, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: argument 2 is not known before the loop{{.*}}compute it before the loop
}
