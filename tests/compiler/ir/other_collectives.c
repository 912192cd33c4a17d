// Every collective call has one remark, those that nobody changes too.
// RUN: %remarks --implicit-check-not=remark
// RUN: env STRETTO_PASS_OPTIONS=-stretto-what=send %clang -O2 -c -Rpass-missed=stretto -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SEND
#include <mpi.h>

void all(double *a, double *b, int n, MPI_Request *request) {
  MPI_Barrier(MPI_COMM_WORLD); // CHECK: remark: MPI_Barrier at line [[@LINE]] stays as it is: it moves no data
  MPI_Ibcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, request); // CHECK: remark: MPI_Ibcast at line [[@LINE]] stays as it is: it is not fed or used by strips yet
  MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // CHECK: remark: MPI_Scan at line [[@LINE]] stays as it is: it is not fed or used by strips yet
  MPI_Neighbor_alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: remark: MPI_Neighbor_alltoall at line [[@LINE]] stays as it is
  // SEND: MPI_Allreduce at line [[@LINE+1]] stays as it is: -fstretto=send leaves it out
  MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // CHECK: remark: MPI_Allreduce at line [[@LINE]] stays as it is: of its contribution, no loop beside it writes the message in this function; of its result, no loop beside it reads the message in this function
}
