// The second message may lie in the first one: compared at run time, before it begins.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

double product(double *b, double *c, int n) {
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+3]]
  MPI_Recv(c, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += b[i] * c[i];
  return sum;
}
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_recv_begin({{.*}}%b,
// CHECK: call void @stretto_hold_if_overlap(i64 %[[H]], ptr {{.*}}%b, ptr {{.*}}%c, ptr {{.*}}inttoptr (i64 -1 to ptr))
// CHECK: call i64 @stretto_recv_begin({{.*}}%c,
