// A computed jump enters the loop: there is no place in front of it.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int where, int dest) {
  static const void *const to[] = {&&loop, &&out};
  int i = 0;
  goto *to[where];
loop:
  b[i] = i;
  if (++i < n)
    goto loop;
out:
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is
}

double read(double *b, int n, int where, int source) {
  static const void *const to[] = {&&loop, &&out};
  double sum = 0;
  int i = 0;
  MPI_Recv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is
  goto *to[where];
loop:
  sum += b[i];
  if (++i < n)
    goto loop;
out:
  return sum;
}
