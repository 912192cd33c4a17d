// The message is a variable of the loop's body, whose life ends in each iteration. (The program is wrong.)
// RUN: %remarks
#include <mpi.h>

void dangling(int n, int dest) {
  double *message = 0;
  for (int i = 0; i < n; ++i) {
    double b[4000];
    b[i % 4000] = i;
    message = b;
    __asm__("" : : "r"(message) : );
  }
  MPI_Send(message, 4000, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is
}
