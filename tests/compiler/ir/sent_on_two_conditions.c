// One condition inside another; the other side communicates, too.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int rank, int size) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  if (size > 1) {
    if (rank > 0)
      MPI_Send(b, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]], {{.*}}, where its condition holds
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
}
