// What the receive returns is known when its message has been matched: it may be looked at before the loop.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int sum(double *restrict b, int n, double *restrict sum) {
  int result = MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i)
    *sum += b[i] * result;
  return result;
}
// CHECK-LABEL: @sum(
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_recv_begin(
// CHECK-NEXT: %[[R:.*]] = {{.*}}call i32 @stretto_recv_error(i64 %[[H]])
// CHECK: ret i32 %[[R]]

int stops(double *b, int n, double *sum) { // the message is complete before the program stops
  int result = MPI_Recv(b, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+4]]
  if (result != MPI_SUCCESS)
    exit(1);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  *sum = s;
  return 0;
}
// CHECK-LABEL: @stops(
// CHECK: call i32 @stretto_recv_end(
// CHECK-NEXT: call void @exit(
// CHECK: call i32 @stretto_recv_end(

int tells(double *b, int n, double *sum) { // what it calls aside may be anything
  if (MPI_Recv(b, n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) { // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+5]]
    fprintf(stderr, "an error\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  *sum = s;
  return 0;
}
// CHECK-LABEL: @tells(
// CHECK: call void @stretto_hold_unless(i64 %{{.*}}, ptr {{.*}}, i32 {{.*}}0)
// CHECK: call {{.*}}@f{{write|puts}}

int returns(double *b, int n, double *sum) { // it ends where all ways have met
  int result = MPI_Recv(b, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+4]]
  if (result)
    return result;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  *sum = s;
  return 0;
}
