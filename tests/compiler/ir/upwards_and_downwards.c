// The loop fills the message from both ends.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, const double *restrict a, int n, int dest) {
  for (int i = 0; i < n / 2; ++i) {
    b[i] = a[i] * 2;
    b[n - 1 - i] = a[i] * 3;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the loop goes through the message upwards and downwards
}
