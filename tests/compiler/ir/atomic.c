// An atomic operation orders memory between threads.
// RUN: %remarks
#include <mpi.h>
#include <stdatomic.h>

void fill(double *b, atomic_int *flag, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    atomic_fetch_add(flag, 1);
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: an atomic operation orders memory (line [[@LINE-2]])
}
