// A function that nobody sees is called in the loop.
// RUN: %remarks
#include <mpi.h>
void unknown(void);

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    unknown();
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call of unknown may communicate or write the message (line [[@LINE-2]]); let the compiler inline it
}
