// A receive, then a loop that reads: begin where the receive stood, need before each strip, end after the loop.
// RUN: %clang -O2 -fno-vectorize -fno-unroll-loops -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %remarks --check-prefix=SAID
#include <mpi.h>

double sum(double *buf, int n, int source) {
  // SAID: remark: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+3]], strips of 2048 iterations [-Rpass=stretto]
  MPI_Recv(buf, n, MPI_DOUBLE, source, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += buf[i];
  return s;
}

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_recv_begin(ptr {{.*}}@stretto.call.sum{{[^,]*}}, ptr {{.*}}%buf, i32 {{.*}}%n, ptr {{.*}}@ompi_mpi_double, i32 {{.*}}%source, i32 {{.*}}7, ptr {{.*}}, ptr {{.*}}null)
// CHECK: call i32 @stretto_recv_end(i64 %[[H]], ptr {{.*}}null)
// CHECK: call void @stretto_need_below(i64 %[[H]], ptr {{.*}}%buf, i64
// CHECK: declare void @stretto_need_below(i64, ptr {{(nocapture|captures\(none\))}}, i64) {{.*}}#[[A:[0-9]+]]
// CHECK: attributes #[[A]] = { {{.*}}nounwind memory(argmem: readwrite, inaccessiblemem: readwrite
