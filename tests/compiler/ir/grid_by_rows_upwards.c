// Two loops, the outer one over rows from the last to the first.
// RUN: %remarks
#include <mpi.h>

void fill(double *u, long rows, long columns, int dest) {
  for (long i = rows - 1; i >= 0; --i)
    for (long j = 0; j < columns; ++j)
      u[i * columns + j] = i + j;
  MPI_Send(u, rows * columns, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of a length chosen at run time, from the end to the beginning
}
