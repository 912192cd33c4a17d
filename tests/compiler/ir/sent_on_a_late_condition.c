// The condition is computed in the loop: the message must not begin if it might not be sent.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const double *restrict a, int n, int dest) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    largest = a[i] > largest ? a[i] : largest;
  }
  if (largest > 1)
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it (line [[@LINE-1]]); test the condition before the loop
}
