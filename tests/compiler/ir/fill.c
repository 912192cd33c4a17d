// A loop fills the message: begin before the loop, ready after each strip, end where the send stood.
// RUN: %clang -O2 -g -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %remarks --check-prefix=SAID
#include <mpi.h>

void fill(double *buf, int n, int dest) {
  for (int i = 0; i < n; ++i)
    buf[i] = i * 0.5;
  // SAID: fill.c:[[@LINE+1]]:3: remark: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations [-Rpass=stretto]
  MPI_Send(buf, n, MPI_DOUBLE, dest, 7, MPI_COMM_WORLD);
}

// The description of the call: version, flags, line, column, file, function, what is known.
// CHECK-DAG: @[[CALL:stretto.call.fill.[0-9]+.3.MPI_Send]] = internal global { i32, i32, i32, i32, ptr, ptr, ptr } { i32 1, i32 0, i32 [[#]], i32 3, ptr @[[FILE:[a-z.0-9]+]], ptr @[[NAME:[a-z.0-9]+]], ptr null }
// CHECK-DAG: @[[FILE]] = private unnamed_addr constant {{.*}}fill.c\00"
// CHECK-DAG: @[[NAME]] = private unnamed_addr constant [5 x i8] c"fill\00"
// CHECK-LABEL: define {{.*}}@fill(
// The loop does not run for n <= 0: then the handle is 0 and the send stays plain.
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_send_begin(ptr {{.*}}@[[CALL]], ptr {{.*}}%buf, i32 {{.*}}%n, ptr {{.*}}@ompi_mpi_double, i32 {{.*}}%dest, i32 {{.*}}7,
// CHECK: call void @stretto_ready_below(i64 %[[H]], ptr {{.*}}%buf, i64 %[[HI:.*]])
// CHECK: %[[E:.*]] = phi i64 [ 0, %entry ], [ %[[H]], %{{.*}} ]
// CHECK: call i32 @stretto_send_end(i64 %[[E]], ptr {{.*}}@[[CALL]], ptr {{.*}}%buf, i32 {{.*}}%n,
// CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 2048)
// CHECK-NOT: @MPI_Send(
// CHECK: declare void @stretto_ready_below(i64, ptr {{(nocapture|captures\(none\))}}, i64) {{.*}}#[[A:[0-9]+]]
// CHECK: attributes #[[A]] = { {{.*}}nounwind memory(argmem: read, inaccessiblemem: readwrite
