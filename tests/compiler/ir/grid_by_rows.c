// Two loops, the outer one over rows of a length that is known at run time.
// RUN: %remarks
#include <mpi.h>

void fill(double *u, long rows, long columns, int dest) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      u[i * columns + j] = i + j;
  MPI_Send(u, rows * columns, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of a length chosen at run time, 1 check at run time
}
