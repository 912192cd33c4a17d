// A volatile access may be seen by others.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, volatile int *progress, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    *progress = i;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: a volatile access is seen from outside (line [[@LINE-2]])
}
