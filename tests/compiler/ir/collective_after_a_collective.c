// The collective's arguments come with the result of the one before.
// RUN: %remarks
#include <mpi.h>

void twice(int *restrict a, int *restrict b, int *restrict c, int *restrict d, int n) {
  MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < 65536; ++i)
    c[i] = b[i] * 3;
  MPI_Alltoall(c, b[0], MPI_INT, d, b[0], MPI_INT, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is: of its contribution, it may take an argument from a result that has not come
}
