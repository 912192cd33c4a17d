// Blocks of several sizes. Their counts are read where the loop begins: nothing may write them on the way.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict a, double *restrict b, const int *restrict counts, const int *restrict displs) {
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 0.5;
  MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoallv at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}

void count(double *restrict a, double *restrict b, int *restrict counts, const int *restrict displs, int ranks) {
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 0.5;
  for (int p = 0; p < ranks; ++p)
    counts[p] = p * 7;
  MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoallv at line [[@LINE]] stays as it is: of its contribution, an array of counts or displacements may be written (line [[@LINE-1]])
}
