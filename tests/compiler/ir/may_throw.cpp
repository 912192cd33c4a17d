// What is called in the loop may throw.
// RUN: %remarks_c++
#include <mpi.h>
double value(int i);

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = value(i);
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call of value(int) may communicate or write the message (line [[@LINE-1]])
}
