// The loop writes a second array, which may overlap: compared at run time.
// RUN: %remarks
#include <mpi.h>

void fill(double *buf, double *other, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    buf[i] = i;
    other[i] = -i;
  }
  MPI_Send(buf, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]], {{.*}}, 1 check at run time
}
