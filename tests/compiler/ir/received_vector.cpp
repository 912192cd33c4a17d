// A receive that may throw: its begin unwinds as the call did. At its end nothing is left that may.
// RUN: %remarks_c++ --check-prefix=SAID
// RUN: %clang++ -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>
#include <vector>

double receive(int n) {
  std::vector<double> b(n);
  MPI_Recv(b.data(), n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]], strips of 2048 iterations
  double sum = 0;
  for (double x : b)
    sum += x;
  return sum;
}
// CHECK: invoke {{.*}}i64 @stretto_recv_begin(
// CHECK-NEXT: to label %{{.*}} unwind label
// CHECK: call {{.*}}i32 @stretto_recv_end(
