// The loop may run again before the send.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int dest, const int *again, const int *end) {
  for (;;) {
    for (int i = 0; i < n; ++i)
      b[i] += i;
    if (*again++)
      continue;
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is:
    if (*end++)
      return;
  }
}
