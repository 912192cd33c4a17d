// A switch at the end of the loop goes on or leaves it, for one of two reasons.
// RUN: %remarks
#include <mpi.h>

void fill(double *restrict b, const int *restrict u, double *restrict last, int n, int dest) {
  int i = 0;
again:
  b[i] = i;
  switch (u[++i]) {
  case 5: *last = 1; break;
  case 7: *last = 2; break;
  case 9: *last = 3; break;
  default: goto again;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the loop is made of jumps that are no loop of the language
}
