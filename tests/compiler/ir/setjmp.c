// A jump out of the loop could leave the message half sent.
// RUN: %remarks
#include <mpi.h>
#include <setjmp.h>
extern jmp_buf place;

void fill(double *b, int n, int dest) {
  if (setjmp(place))
    return;
  for (int i = 0; i < n; ++i)
    b[i] = i;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the function calls setjmp
}
