// A persistent send, filled in front of its start: begin in front of the loop, end in front of the start, which stays.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

void steps(double *b, int n, int m, int dest) {
  MPI_Request request;
  MPI_Send_init(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD, &request); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+2]], strips of 2048 iterations
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      b[i] = i * 0.5 + t;
    MPI_Start(&request); // SAID: MPI_Start at line [[@LINE]] stays as it is: what becomes of its message is told where the request is made
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}
// CHECK-LABEL: @steps(
// CHECK: %[[H:.*]] = call i64 @stretto_start_begin(ptr {{[^,]*}}@stretto.call.steps{{[^,]*}}, ptr {{[^,]*}}%b, i32 {{.*}}1, ptr {{.*}}%request)
// CHECK: call void @stretto_ready_below(i64 {{.*}}%[[H]]
// CHECK: call void @stretto_start_end(i64
// CHECK-NEXT: call i32 @MPI_Start(ptr {{.*}}%request)

void halo(double *restrict to_left, double *restrict to_right, const double *restrict u, int n, int m, int left, int right) {
  MPI_Request requests[2];
  MPI_Send_init(to_left, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+3]], strips
  MPI_Send_init(to_right, n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+4]], strips
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      to_left[i] = u[i * m];
    for (int i = 0; i < n; ++i)
      to_right[i] = u[i * m + m - 1];
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

void one_by_one(double *restrict a, double *restrict b, int n, int m) {
  MPI_Request requests[2];
  MPI_Send_init(a, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[0]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+3]], strips
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[1]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+5]], strips
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      a[i] = i * 0.5 + t;
    MPI_Start(&requests[0]);
    for (int i = 0; i < n; ++i)
      b[i] = i * 0.25 + t;
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

void written_by_the_loop(double *restrict b, MPI_Request *request, MPI_Request *others, int n) { // where the loop does not write it
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, request); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+1]], strips of 2048 iterations, {{[1-9]}} checks at run time
  for (int i = 0; i < n; ++i) {
    b[i] = i * 0.5;
    others[i & 7] = MPI_REQUEST_NULL;
  }
  MPI_Start(request);
}

void chosen_after_the_loop(double *restrict b, MPI_Request *other, int n) {
  MPI_Request request;
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request); // SAID: send at line [[@LINE]] stays as it is: the request that is started is not known before the loop (line [[@LINE+4]]); make it before the loop, in a variable of its own
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  request = *other;
  MPI_Start(&request);
}

void made_between(double *b, int n) {
  MPI_Request request;
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request); // SAID: send at line [[@LINE]] stays as it is: the call of MPI_Send_init may communicate or write the message
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void written_again(double *b, int n) {
  MPI_Request request;
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request); // SAID: send at line [[@LINE]] stays as it is: the message is written again after the loop (line [[@LINE+3]])
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  b[3] = 7;
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void another_between(double *restrict a, double *restrict b, int n) { // a send that has not begun would be passed
  MPI_Request requests[2];
  MPI_Send_init(a, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[0]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+2]], strips
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[1]); // SAID: send at line [[@LINE]] stays as it is: the call of MPI_Start may communicate or write the message (line [[@LINE+5]])
  for (int i = 0; i < n; ++i)
    a[i] = i * 0.5;
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.25;
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void started_elsewhere(double *b, int n, MPI_Request *request) {
  MPI_Send_init(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, request); // SAID: send at line [[@LINE]] stays as it is: no MPI_Start or MPI_Startall behind it in this function starts its request; start it where it is made
}
