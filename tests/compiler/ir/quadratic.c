// A triangle, row by row: the place of an element is no linear function of the row.
// RUN: %remarks
#include <mpi.h>

void squares(double *b, long n, int dest) {
  for (long i = 0; i < n; ++i)
    b[i * i] = i;
  MPI_Send(b, n * n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the address of the store is no linear function of the loop's counter (line [[@LINE-1]])
}

double read(double *b, long n, int source) {
  double sum = 0;
  MPI_Recv(b, n * n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter
  for (long i = 0; i < n; ++i)
    sum += b[i * i];
  return sum;
}

double triangle(double *b, long n, int source) { // the last element of a row
  double sum = 0;
  MPI_Recv(b, n * n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i * i; ++j)
      sum += b[i + j];
  return sum;
}
