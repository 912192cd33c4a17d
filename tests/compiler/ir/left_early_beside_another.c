// The loop may be left early, and writes another array, too: how far at most its other exit says, and the program compares.
// RUN: %remarks
#include <mpi.h>

void fill(double *b, double *other, const double *restrict a, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    other[i] = a[i];
    if (a[i] < 0)
      break;
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-6]], strips of 2048 iterations, 1 check at run time
}

void no_end(double *b, double *other, const double *restrict a, int dest) { // nobody knows how far
  int i = 0;
  do {
    b[i] = a[i] * 2;
    other[i] = a[i];
  } while (a[i++] > 0);
  MPI_Send(b, 1000000, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: it may write the message (or a part of it) and cannot be checked at run time
}

void far(double *b, double *other, const double *restrict a, long n, int m, int dest) { // an end of 64 bits that nobody means to reach
  for (long i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    other[i] = a[i];
    if (a[i] < 0)
      break;
  }
  MPI_Send(b, m, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: it may write the message (or a part of it) and cannot be checked at run time
}
