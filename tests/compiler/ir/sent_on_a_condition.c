// The send is conditional, and the condition is known before the loop.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void fill(double *b, int n, int dest, int wanted) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
  if (wanted)
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations, where its condition holds
}
// CHECK: %[[NOT:.*]] = icmp eq i32 %wanted, 0
// CHECK: br i1 %[[NOT]], label %[[PLAIN:.*]], label %[[BEGIN:.*]]
// CHECK: [[BEGIN]]:
// CHECK: call i64 @stretto_send_begin(
