// How long a message of this type is nobody knows: its last element may be written again.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, MPI_Datatype row, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  b[n] = 3;
  MPI_Send(b, n, row, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the message is written again after the loop (line [[@LINE-1]])
}

void doubles(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  b[n] = 3;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]]
}
