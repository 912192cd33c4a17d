// The result is passed on from where it lies: the loop may not change it.
// RUN: %remarks
#include <mpi.h>

void scale(double *restrict a, double *restrict b, int n) {
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is: {{.*}}of its result, the result is written while it is passed on to other ranks
  for (int i = 0; i < 65536; ++i)
    b[i] *= 0.5;
}
