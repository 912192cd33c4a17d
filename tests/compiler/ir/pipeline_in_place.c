// Receive, compute in place, send: no more is said to be ready than has come.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void stage(double *b, int n, int me) {
  MPI_Recv(b, n, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i)
    b[i] *= 2;
  MPI_Send(b, n, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
// CHECK: call void @stretto_ready_below(
