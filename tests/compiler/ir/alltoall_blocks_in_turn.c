// The transpose of an FFT: the block of each rank in turn.
// RUN: %remarks
#include <math.h>
#include <mpi.h>

void transpose(double *restrict send, double *restrict recv, const double *restrict u, long n, int ranks) {
  for (int p = 0; p < ranks; ++p)
    for (long i = 0; i < n; ++i)
      send[p * n + i] = sin(u[i * ranks + p]);
  MPI_Alltoall(send, (int)n, MPI_DOUBLE, recv, (int)n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of a length chosen at run time, 1 check at run time
}
