// The root fills, the others read. Which rank is the root is known at run time only: where it is another one, begin answers 0.
// RUN: %remarks
#include <mpi.h>

double share(double *b, int rank, int n) {
  if (rank == 0)
    for (int i = 0; i < 65536; ++i)
      b[i] = i * 0.5;
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // CHECK: MPI_Bcast at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations, and ends inside the loop at line [[@LINE+2]]
  double s = 0;
  for (int i = 0; i < 65536; ++i)
    s += b[i];
  return s;
}
