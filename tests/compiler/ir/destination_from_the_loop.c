// The destination is computed in the loop.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, const int *who, int n) {
  int dest = 0;
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    dest ^= who[i];
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: argument 4 is not known before the loop{{.*}}; compute it before the loop
}
