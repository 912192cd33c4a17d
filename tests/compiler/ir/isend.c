// A non-blocking send: its request comes from the end.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void fill(double *b, int n, int dest) {
  MPI_Request request;
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  MPI_Isend(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD, &request); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// CHECK: call i32 @stretto_isend_end(i64 {{.*}}, ptr {{.*}}@stretto.call.{{.*}}, ptr {{.*}}, i32 {{.*}}, ptr {{.*}}@ompi_mpi_double, i32 {{.*}}, i32 {{.*}}1, ptr {{.*}}@ompi_mpi_comm_world, ptr {{.*}})
