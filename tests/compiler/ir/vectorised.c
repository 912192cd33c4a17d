// The inner loop is vectorised as before. (Of several -Rpass options the last one counts.)
// RUN: %clang -O2 -c '-Rpass=stretto|loop-vectorize' -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s
#include <mpi.h>

void scale(double *buf, const double *a, int n, int dest) {
  // CHECK-DAG: [[@LINE+4]]:3: remark: send at line [[@LINE+4]] starts inside the loop at line [[@LINE+2]], strips of 2048 iterations
  // CHECK-DAG: remark: vectorized loop
  for (int i = 0; i < n; ++i)
    buf[i] = 2 * a[i];
  MPI_Send(buf, n, MPI_DOUBLE, dest, 7, MPI_COMM_WORLD);
}
