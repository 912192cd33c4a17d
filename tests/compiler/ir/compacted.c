// How many elements there are is known after the loop.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, const double *a, int n, int dest) {
  int k = 0;
  for (int i = 0; i < n; ++i)
    if (a[i] > 0)
      b[k++] = a[i];
  MPI_Send(b, k, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the address of the store is no linear function
}
