// The places are read from an index.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, const int *index, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[index[i]] = i;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the address of the store is no linear function of the loop's counter (line [[@LINE-1]]); fill the message in order, from one end to the other
}
