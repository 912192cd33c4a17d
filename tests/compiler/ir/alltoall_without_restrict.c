// Whether the loop's other memory is the contribution's, or the result's, is compared at run time.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-vectorize -S -emit-llvm %s -o - | %FileCheck %s
#include <math.h>
#include <mpi.h>

void fill(double *a, double *b, double *u, int n) {
  for (int i = 0; i < 65536; ++i)
    a[i] = sin(u[i]);
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // SAID: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations, 2 checks at run time
}
// CHECK: call void @stretto_hold_if_other_overlaps(i64
// CHECK: call void @stretto_hold_if_other_overlaps(i64
