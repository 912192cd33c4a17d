// The count of a collective is that of one block: what is behind it is a part of the contribution, too.
// RUN: %remarks
#include <mpi.h>

void transpose(double *restrict a, double *restrict b) {
  for (int i = 0; i < 8000; ++i)
    a[i] = i;
  a[3000] = 1;
  MPI_Alltoall(a, 1000, MPI_DOUBLE, b, 1000, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] stays as it is: of its contribution, the message is written again after the loop (line [[@LINE-1]])
}
