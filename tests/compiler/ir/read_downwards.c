// Read from the end to the beginning.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

double read(double *b, int n) {
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]], strips of 2048 iterations, from the end to the beginning
  double s = 0;
  for (int i = n - 1; i >= 0; --i)
    s = s * 0.5 + b[i];
  return s;
}
// CHECK: call void @stretto_need_above(
