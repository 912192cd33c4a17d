// The loop may run twice before the send, which nothing can leave out.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const int *restrict skip, int n, int dest) {
  for (int k = 0;; ++k) {
    for (int i = 0; i < n; ++i)
      b[i] = i + k;
    if (skip[k])
      continue;
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
    if (k > 10)
      return;
  }
}
