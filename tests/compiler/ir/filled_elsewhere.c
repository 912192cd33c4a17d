// The message is filled in a function that is not inlined.
// RUN: %remarks
#include <mpi.h>
void fill(double *b, int n);

void send(double *b, int n, int dest) {
  fill(b, n);
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the message may be written in fill, which is not inlined (line [[@LINE-1]]); make it static inline, or compile and link with -flto
}
