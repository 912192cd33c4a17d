// The message is filled in a function that is inlined, by a function that may set errno.
// RUN: %remarks
#include <math.h>
#include <mpi.h>

static void fill(double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = sin(i);
}
void send(double *b, int n, int dest) {
  fill(b, n);
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-5]]
}
