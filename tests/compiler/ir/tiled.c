// Loops in tiles, the last of which is cut off by the end.
// UNSUPPORTED: llvm-16
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))

double read(double *b, long n) {
  double s = 0;
  MPI_Recv(b, (int)n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]], strips of 32 iterations
  for (long t = 0; t < n; t += 64)
    for (long i = t; i < MIN(t + 64, n); ++i)
      s = s * 0.5 + b[i];
  return s;
}
// CHECK-LABEL: define {{.*}}double @read(
// CHECK: call void @stretto_need_below(

double read_by_int(double *b, int n) {
  double s = 0;
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]], strips of 32 iterations
  for (int t = 0; t < n; t += 64)
    for (int i = t; i < MIN(t + 64, n); ++i)
      s = s * 0.5 + b[i];
  return s;
}

void fill(double *b, long n) {
  for (long t = 0; t < n; t += 64)
    for (long i = t; i < MIN(t + 64, n); ++i)
      b[i] = i * 0.5;
  MPI_Send(b, (int)n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 32 iterations
}

double read_by_list(double *b, long n, const long *restrict end) {
  double s = 0;
  MPI_Recv(b, (int)n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] stays as it is: the address of the access is no linear function of the loop's counter (line [[@LINE+3]])
  for (long t = 0; t < n; t += 64)
    for (long i = t; i < end[t]; ++i)
      s = s * 0.5 + b[i];
  return s;
}
