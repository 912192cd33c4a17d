// A loop fills the contribution, another one reads the result: begin before the first, open where the call stood, close after the second.
// RUN: %clang -O2 -g -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %remarks --check-prefix=SAID
#include <mpi.h>

double exchange(double *restrict a, double *restrict b, int n) {
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 0.5;
  // SAID: remark: MPI_Alltoall at line [[@LINE+1]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations, and ends inside the loop at line [[@LINE+3]], strips of 2048 iterations [-Rpass=stretto]
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD);
  double s = 0;
  for (int i = 0; i < 65536; ++i)
    s += b[i];
  return s;
}

// CHECK-LABEL: define {{.*}}@exchange(
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_alltoall_begin(ptr {{.*}}@[[CALL:stretto.call.exchange.[0-9]+.3.MPI_Alltoall]], ptr {{.*}}%a, i32 {{.*}}%n, ptr {{.*}}@ompi_mpi_double, ptr {{.*}}%b, i32 {{.*}}%n,
// CHECK: call void @stretto_ready_below(i64 %[[H]], ptr {{.*}}%a, i64
// CHECK: %[[O:.*]] = {{.*}}call i64 @stretto_alltoall_open(i64 %[[H]], ptr {{.*}}@[[CALL]], ptr {{.*}}%a, i32 {{.*}}%n,
// CHECK-DAG: call void @stretto_need_below(i64 %[[O]], ptr {{.*}}%b, i64
// CHECK-DAG: call i32 @stretto_collective_close(i64 %[[O]])
// CHECK-NOT: @MPI_Alltoall(
