// The result of one collective is read by the loop that fills the next one's contribution.
// RUN: %remarks
#include <mpi.h>

void convolve(double *restrict a, double *restrict b, double *restrict c, double *restrict d, int n) {
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < 65536; ++i)
    c[i] = b[i] * 0.5;
  MPI_Alltoall(c, n, MPI_DOUBLE, d, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
