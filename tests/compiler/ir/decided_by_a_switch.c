// A switch decides whether the message is sent.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int kind, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  switch (kind) {
  case 1:
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
    break;
  case 2:
    MPI_Send(b, n, MPI_DOUBLE, dest + 1, 2, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
    break;
  case 5:
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
