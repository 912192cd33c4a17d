// Not every rank receives: where none has, the loop finds nothing to wait for.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

double once(double *b, int n, int rank) {
  if (rank > 0)
    MPI_Recv(b, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  return s;
}
// CHECK-LABEL: @once(
// CHECK: %[[B:.*]] = {{.*}}call i64 @stretto_recv_begin(
// CHECK: %[[H:.*]] = phi i64 [ %[[B]], %{{.*}} ], [ 0, %{{.*}} ]

double in_time_steps(double *b, int n, int rank, int steps) {
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    if (rank > 0)
      MPI_Recv(b + (t & 1), n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
    for (int i = 0; i < n; ++i)
      s = s * 0.5 + b[i + (t & 1)];
  }
  return s;
}

double stage(double *restrict in, double *restrict out, int n, int rank, int size, int steps) {
  for (int t = 0; t < steps; ++t) {
    if (rank > 0)
      MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
    for (int i = 0; i < n; ++i)
      out[i] = in[i] * 2;
    if (rank + 1 < size)
      MPI_Send(out, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations, where its condition holds
  }
  return out[0];
}

double next_turn(double *b, int n, int rank, int steps) { // it may not be read in this turn: then it ends here
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    MPI_Recv(b, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+3]]
    if (b[0] < 0)
      continue;
    for (int i = 0; i < n; ++i)
      s = s * 0.5 + b[i];
  }
  return s;
}
// CHECK-LABEL: @next_turn(
// CHECK: call void @stretto_need(i64 %{{.*}}, ptr {{.*}}%b, i64 {{.*}}0, i64 {{.*}}8)
// CHECK: call i32 @stretto_recv_end(
// CHECK: call i32 @stretto_recv_end(

double some_ways(double *b, int n, int rank, int how) { // where another loop reads, or none, all has come before
  if (rank > 0)
    MPI_Recv(b, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+3]]
  double s = 0;
  if (how & 1)
    for (int i = 0; i < n; ++i)
      s = s * 0.5 + b[i];
  for (int i = 0; i < n; ++i)
    s = s * 0.25 + b[i];
  return s;
}

double barrier(double *b, int n, int rank) {
  if (rank > 0) {
    MPI_Recv(b, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] stays as it is: the call of MPI_Barrier may communicate or write the message (line [[@LINE+1]])
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + b[i];
  return s;
}
