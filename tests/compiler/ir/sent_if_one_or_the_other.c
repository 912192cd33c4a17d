// One of two conditions is enough, and the second one is looked at where the first one does not hold.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const int *restrict flag, int n, int always, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  if (always || flag[n])
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
}
