// The transpose of an FFT: each iteration fills, or reads, a part of each rank's block.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-vectorize -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void transpose(double *restrict send, double *restrict recv, double *restrict u, long n, long ranks) {
  for (long i = 0; i < n; ++i)
    for (long p = 0; p < ranks; ++p)
      send[p * n + i] = u[i * ranks + p] * 0.5;
  MPI_Alltoall(send, (int)n, MPI_DOUBLE, recv, (int)n, MPI_DOUBLE, MPI_COMM_WORLD); // SAID: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations
}

void transpose_back(double *restrict send, double *restrict recv, double *restrict u, long n, long ranks) {
  MPI_Alltoall(send, (int)n, MPI_DOUBLE, recv, (int)n, MPI_DOUBLE, MPI_COMM_WORLD); // SAID: MPI_Alltoall at line [[@LINE]] ends inside the loop at line [[@LINE+1]], strips of 2048 iterations
  for (long i = 0; i < n; ++i)
    for (long p = 0; p < ranks; ++p)
      u[i * ranks + p] = recv[p * n + i] * 0.5;
}
// CHECK-LABEL: define {{.*}}@transpose(
// CHECK: call void @stretto_ready_blocks(i64
// CHECK-LABEL: define {{.*}}@transpose_back(
// CHECK: call void @stretto_need_blocks(i64
