// Each turn of the outer loop writes all of the message again: it begins in the last turn.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void accumulate(double *restrict b, const double *restrict a, int n, int m, int dest) {
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i)
      b[i] += a[k * n + i];
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], in the last sweep, strips of 2048 iterations
}
// CHECK: %[[LAST:stretto.last.*]] = icmp eq i64
// CHECK-NEXT: br i1 %[[LAST]]
// CHECK: call i64 @stretto_send_begin(
