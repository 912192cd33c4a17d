// The loop runs over a pointer.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, double *end, int dest) {
  for (double *p = b; p < end; ++p)
    *p = 1.5;
  MPI_Send(b, end - b, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
}
