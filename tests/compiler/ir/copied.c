// LLVM makes a memcpy of the loop; it becomes a loop again, a strip per iteration.
// RUN: %remarks
#include <mpi.h>

void copy(double *restrict buf, const double *restrict a, int n, int dest) {
  for (int i = 0; i < n; ++i)
    buf[i] = a[i];
  MPI_Send(buf, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line {{.*}}, strips of 1 iterations
}
