// Filled from the end to the beginning: bytes are final from above.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void fill(double *b, int n, int dest) {
  for (int i = n - 1; i >= 0; --i)
    b[i] = i;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations, from the end to the beginning
}
// CHECK: call void @stretto_ready_above(
