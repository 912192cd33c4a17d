// The loop that reads the result writes the contribution, which may not all have left.
// RUN: %remarks
#include <mpi.h>

void swap(double *restrict a, double *restrict b, int n) {
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is: {{.*}}of its result, it may write the contribution before all of it has left
  for (int i = 0; i < 65536; ++i)
    a[i] = b[i] * 0.5;
}
