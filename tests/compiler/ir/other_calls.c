// Every point-to-point call of a file has one remark, those that nobody changes too (of collectives: other_collectives.c); other calls have none.
// RUN: %remarks --implicit-check-not=remark
#include <mpi.h>

void all(double *b, int n, int dest) {
  MPI_Request request;
  // CHECK: other_calls.c:[[@LINE+1]]:3: remark: MPI_Ssend at line [[@LINE+1]] stays as it is: only MPI_Send, MPI_Isend, MPI_Recv, MPI_Irecv and MPI_Sendrecv are changed
  MPI_Ssend(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
  // CHECK: remark: receive at line [[@LINE+1]] stays as it is: no loop beside it reads the message
  MPI_Irecv(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // CHECK: remark: MPI_Bcast at line [[@LINE+1]] stays as it is
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // CHECK: remark: MPI_Sendrecv_replace at line [[@LINE+1]] stays as it is
  MPI_Sendrecv_replace(b, n, MPI_DOUBLE, 1, 1, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
