// The loop may end the function.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, const double *a, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    if (a[i] < 0)
      return;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
}
