// No loop fills the message.
// RUN: %remarks
#include <mpi.h>

void send(double *b, int n, int dest) {
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: no loop beside it writes the message in this function; fill the message by a loop just before the send
}
