// After the loop something is written that may be a part of the message: compared at run time.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, double *other, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  other[7] = 3;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], {{.*}}, 1 check at run time
}
