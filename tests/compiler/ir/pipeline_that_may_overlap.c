// What is sent may be the memory that is received: compared at run time, when the receive begins.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void stage(double *in, double *out, int n, int me) {
  MPI_Recv(in, n, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i)
    out[i] = 2 * in[i];
  MPI_Send(out, n, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_recv_begin(
// CHECK-NEXT: call void @stretto_hold_if_overlap(i64 %[[H]], ptr {{.*}}%in, ptr {{.*}}%out, ptr {{.*}}inttoptr (i64 -1 to ptr))
