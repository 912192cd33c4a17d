// The loop that reads the message may be left early.
// RUN: %remarks
#include <mpi.h>

int find(double *b, int n) {
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
  int i;
  for (i = 0; i < n; ++i)
    if (b[i] < 0)
      break;
  return i;
}
