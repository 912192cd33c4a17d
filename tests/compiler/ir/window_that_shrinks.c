// What an iteration reads begins later and ends earlier each time: the first one needs all.
// RUN: %remarks
#include <mpi.h>

double window(double *b, long n, int source) {
  double sum = 0;
  MPI_Recv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter
  for (long i = 0; i < n / 2; ++i)
    for (long j = i; j < n - i; ++j)
      sum += b[j];
  return sum;
}

double to_the_end(double *b, long n, long steps, int source) { // in each step, in each iteration, to the end of the message
  double sum = 0;
  for (long t = 0; t < steps; ++t) {
    MPI_Recv(b + t * n, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter
    for (long i = 0; i < n; ++i)
      for (long j = i; j < n; ++j)
        sum += b[t * n + j];
  }
  return sum;
}
