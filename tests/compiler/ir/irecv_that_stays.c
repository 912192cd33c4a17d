// Receives that are waited for, and stay as they are.
// RUN: %remarks
#include <mpi.h>

void later(double *b, int n, MPI_Request *request) {
  MPI_Irecv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, request); // CHECK: receive at line [[@LINE]] stays as it is: no MPI_Wait or MPI_Waitall behind it in this function completes its request; wait for it where it is received, with MPI_Wait or MPI_Waitall
}

double of_any(double *b, int n) {
  MPI_Request requests[2];
  int which;
  MPI_Irecv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[0]); // CHECK: receive at line [[@LINE]] stays as it is: no MPI_Wait or MPI_Waitall behind it in this function completes its request
  MPI_Irecv(b + n, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &requests[1]); // CHECK: receive at line [[@LINE]] stays as it is: no MPI_Wait or MPI_Waitall behind it in this function completes its request
  MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  return s;
}

int status_before(double *b, int n, double *sum) {
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(b, n, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request); // CHECK: receive at line [[@LINE]] stays as it is: it may use the status of the receive (line [[@LINE+2]]); look at it after the loop, or use MPI_STATUS_IGNORE
  MPI_Wait(&request, &status);
  int who = status.MPI_SOURCE;
  for (int i = 0; i < n; ++i)
    *sum += b[i] * who;
  return who;
}

double barrier(double *b, int n) {
  MPI_Request request;
  MPI_Irecv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request); // CHECK: receive at line [[@LINE]] stays as it is: the call of MPI_Barrier may communicate or write the message (line [[@LINE+2]])
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  return s;
}
