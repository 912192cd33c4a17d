// Gather, allgather and scatter: contributions of all, or of the root.
// RUN: %remarks
#include <mpi.h>

double all(double *restrict a, double *restrict b, int n) {
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 0.5;
  MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // CHECK: MPI_Gather at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 0.25;
  MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Allgather at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  MPI_Scatter(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // CHECK: MPI_Scatter at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
  double s = 0;
  for (int i = 0; i < 65536; ++i)
    s += b[i];
  return s;
}
