// Another MPI call stands between the loop and the send.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call of MPI_Barrier may communicate or write the message (line [[@LINE-1]]); move it before the loop
}
