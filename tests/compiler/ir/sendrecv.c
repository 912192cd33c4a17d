// Both halves of an exchange, each by itself; and one that stays, whose call is the plain one.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

double both(double *restrict out, double *restrict in, int n, int left, int right) {
  for (int i = 0; i < n; ++i)
    out[i] = i * 0.5;
  // SAID: receive at line [[@LINE+2]] ends inside the loop at line [[@LINE+4]], strips of 2048 iterations
  // SAID: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations
  MPI_Sendrecv(out, n, MPI_DOUBLE, right, 1, in, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += in[i];
  return s;
}
// CHECK-LABEL: @both(
// CHECK: call i64 @stretto_send_begin(
// CHECK: call i32 @stretto_irecv(ptr {{.*}}%in, i32 {{.*}}%n, ptr {{.*}}@ompi_mpi_double, i32 {{.*}}%left, i32 {{.*}}1, ptr {{.*}}@ompi_mpi_comm_world, ptr {{.*}}%[[R:stretto.exchange.*]])
// CHECK-NEXT: call i32 @stretto_send_end(
// CHECK-NEXT: %[[H:.*]] = {{.*}}call i64 @stretto_wait_begin({{.*}}, ptr {{.*}}%in, i32 {{.*}}1, ptr {{.*}}%[[R]])
// CHECK-NEXT: call i32 @MPI_Wait(ptr {{.*}}%[[R]], ptr {{.*}}null)

int neither(double *out, double *in, int n, int left, int right) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, right, 1, in, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: MPI_Sendrecv at line [[@LINE]] stays as it is: of its send: no loop beside it writes the message in this function; of its receive: no loop beside it reads the message in this function
  return MPI_Sendrecv_replace(in, n, MPI_DOUBLE, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: MPI_Sendrecv_replace at line [[@LINE]] stays as it is: one buffer is for both messages: what comes may not overwrite what has not left; use MPI_Sendrecv with two buffers
}
// CHECK-LABEL: @neither(
// CHECK-NOT: stretto_
// CHECK: call i32 @MPI_Sendrecv(
// CHECK-NOT: stretto_
// CHECK: ret i32

double two(double *restrict out, double *restrict in, int n, int left, int right) { // the second message may not pass the first receive
  for (int i = 0; i < n; ++i)
    out[i] = i * 0.5;
  for (int i = 0; i < n; ++i)
    out[n + i] = i * 0.25;
  MPI_Sendrecv(out, n, MPI_DOUBLE, right, 1, in, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // SAID: receive at line [[@LINE+2]] ends inside the loop at line [[@LINE+4]]
  // SAID: send at line [[@LINE+1]] stays as it is: the call of MPI_{{(Send|Wait)}} may communicate or write the message (line [[@LINE-2]])
  MPI_Sendrecv(out + n, n, MPI_DOUBLE, left, 2, in + n, n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += in[n + i];
  return s;
}
