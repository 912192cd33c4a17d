// LLVM makes a memcpy of the loop that reads what came; it becomes a loop again, a strip per iteration.
// RUN: %remarks
#include <mpi.h>

void copy(double *restrict a, double *restrict buf, int n, int source) {
  MPI_Recv(buf, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line {{.*}}, strips of 1 iterations
  for (int i = 0; i < n; ++i)
    a[i] = buf[i];
}
