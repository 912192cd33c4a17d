// A function that is not optimised.
// RUN: %remarks
#include <mpi.h>

__attribute__((optnone, noinline)) void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the function is not optimised; compile it with -O2
}
