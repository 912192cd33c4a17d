// The transpose of an FFT: rows are packed, a block for each rank.
// RUN: %remarks
#include <mpi.h>

void transpose(double *restrict send, double *restrict recv, const double *restrict u, long rows, long columns, int ranks) {
  for (int p = 0; p < ranks; ++p)
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j)
        send[(p * rows + i) * columns + j] = u[(i * ranks + p) * columns + j] * 0.5;
  MPI_Alltoall(send, (int)(rows * columns), MPI_DOUBLE, recv, (int)(rows * columns), MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
}
