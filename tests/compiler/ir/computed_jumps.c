// A loop of jumps to labels that were computed.
// RUN: %remarks
#include <mpi.h>

void jumps(double *b, const int *u, int dest) {
  static const void *const to[] = {&&again, &&out, &&twice};
  int i = 0;
again:
  b[i] = i;
  ++i;
  goto *to[u[i]];
twice:
  b[i] = 2 * i;
  ++i;
  goto *to[u[i]];
out:
  MPI_Send(b, i, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is
}
