// The answer goes to whom the message came from: the status is not known before the loop.
// RUN: %remarks
#include <mpi.h>

void reply(const double *restrict u, double *restrict in, double *restrict out, int n) {
  MPI_Status status;
  MPI_Recv(in, n, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status); // CHECK: receive at line [[@LINE]] stays as it is: the send behind it may take an argument from the message or the status (line [[@LINE+3]]); send to a rank that is known before the receive
  for (int i = 0; i < n; ++i)
    out[i] = in[i] * 2;
  MPI_Send(out, n, MPI_DOUBLE, status.MPI_SOURCE, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
