// Each copy is longer than the one before it.
// RUN: %remarks
#include <mpi.h>
#include <string.h>

void copies(double *restrict u, double *restrict b, long n, int source) {
  MPI_Recv(b, n * n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter
  for (long i = 1; i < n; ++i)
    memcpy(u + i * n, b + i * n, i * sizeof *b);
}
