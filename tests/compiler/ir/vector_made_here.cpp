// A std::vector made in the same function: its memory is null where it is empty; the send may throw, so it is an invoke.
// RUN: %remarks_c++ --check-prefix=SAID
// RUN: %clang++ -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <cmath>
#include <mpi.h>
#include <vector>

void send(int n, int dest) {
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i)
    b[i] = std::sqrt(i);
  MPI_Send(b.data(), n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
}
// CHECK: call {{.*}}i64 @stretto_send_begin(
// CHECK: invoke {{.*}}i32 @stretto_send_end(
// CHECK-NEXT: to label %{{.*}} unwind label
