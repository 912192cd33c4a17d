// Pack, pack, send, send: the second message begins after the first. If the first one has not begun, the second one begins early only
// where it goes to another process, for MPI keeps the order of messages.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void halos(const double *restrict u, double *restrict up, double *restrict down, int n, int m, int above, int below) {
  for (int j = 0; j < n; ++j)
    up[j] = u[j] * 0.5;
  for (int j = 0; j < m; ++j)
    down[j] = u[3 * n + j] * 0.5;
  MPI_Send(up, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Send(down, m, MPI_DOUBLE, below, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]]
}

// CHECK-LABEL: define {{.*}}@halos(
// CHECK: %[[FIRST:.*]] = {{.*}}call i64 @stretto_send_begin({{.*}}%up,
// CHECK: call void @stretto_ready_below(i64 %[[FIRST]],
// CHECK: %[[H:.*]] = phi i64 [ 0, %entry ], [ %[[FIRST]], %{{.*}} ]
// CHECK-DAG: %[[ELSEWHERE:.*]] = icmp ne i32 %{{(above|below)}}, %{{(above|below)}}
// CHECK-DAG: icmp ne i64 %[[H]], 0
// CHECK: br i1
// CHECK: call i64 @stretto_send_begin({{.*}}%down,
// CHECK: call i32 @stretto_send_end(i64 %[[H]], {{.*}}%up,
// CHECK: call i32 @stretto_send_end(i64 {{.*}}%down,
