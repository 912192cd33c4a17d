// What comes early would be read as the last step's.
// RUN: %remarks
#include <mpi.h>

void relax(double *restrict a, double *restrict b, int n) {
  for (int i = 0; i < 65536; ++i)
    a[i] = b[i] * 0.5;
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is: of its contribution, it may use the result of the last call while the next one comes
}
