// A receive that is waited for later: begin in front of the wait, which stays, need before each strip, end after the loop.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

double sum(double *b, int n, int source, double *other, int m) {
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, &request); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+6]], strips of 2048 iterations
  double s = 0;
  for (int i = 0; i < m; ++i)
    other[i] *= 2;
  if (MPI_Wait(&request, &status) != MPI_SUCCESS)
    return -1;
  for (int i = 0; i < n; ++i)
    s += b[i];
  return s + status.MPI_TAG;
}
// CHECK-LABEL: @sum(
// CHECK: call i32 @MPI_Irecv(
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_wait_begin(ptr {{[^,]*}}@stretto.call.sum{{[^,]*}}, ptr {{.*}}%b, i32 {{.*}}1, ptr {{.*}}%request)
// CHECK-NEXT: call i32 @MPI_Wait(ptr {{.*}}%request, ptr {{.*}}%status)
// CHECK: call void @stretto_need_below(
// CHECK: call i32 @stretto_recv_end(i64 %{{.*}}, ptr {{.*}}%status)

void halo(double *u, double *restrict out, double *restrict in, int n, int m, int left, int right) {
  MPI_Request requests[4];
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+9]], strips
  MPI_Irecv(in + n, n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+10]], strips
  for (int i = 0; i < n; ++i)
    out[i] = u[i * m + 1];
  MPI_Isend(out, n, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  for (int i = 0; i < n; ++i)
    out[n + i] = u[i * m + m - 2];
  MPI_Isend(out + n, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; ++i)
    u[i * m] = in[i];
  for (int i = 0; i < n; ++i)
    u[i * m + m - 1] = in[n + i];
}
// CHECK-LABEL: @halo(
// CHECK: call i64 @stretto_wait_begin(ptr {{[^,]*}}@stretto.call.halo{{[^,]*}}, ptr {{[^,]*}}%in, i32 {{.*}}4, ptr {{.*}}%requests)
// CHECK-NEXT: call i64 @stretto_wait_begin(ptr {{[^,]*}}@stretto.call.halo
// CHECK-NEXT: call i32 @MPI_Waitall(i32 {{.*}}4, ptr {{.*}}%requests, ptr {{.*}}null)

double on_conditions(double *b, int n, int left, int right, double *c) { // as many as there are neighbours
  MPI_Request requests[2];
  int many = 0;
  if (left >= 0)
    MPI_Irecv(b, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[many++]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+5]]
  if (right >= 0)
    MPI_Irecv(c, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[many++]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+3]]
  MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i] * c[i];
  return s;
}

double one_after_the_other(double *b, double *c, int n) {
  MPI_Request first, second;
  MPI_Irecv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &first); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+5]]
  MPI_Irecv(c, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &second); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+4]]
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i] * c[i];
  return s;
}

double in_time_steps(double *b, int n, int steps, int source) { // the next one is on its way while this one is used
  MPI_Request request;
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    MPI_Irecv(b, n, MPI_DOUBLE, source, t, MPI_COMM_WORLD, &request); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]]
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      s = s * 0.5 + b[i];
  }
  return s;
}

double persistent(double *b, int n, int steps) {
  MPI_Request request;
  MPI_Recv_init(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+5]]
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      s = s * 0.5 + b[i];
  }
  MPI_Request_free(&request);
  return s;
}
