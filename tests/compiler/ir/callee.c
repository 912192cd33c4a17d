// The message is filled, or read, in a function that LLVM does not inline: it is inlined where that lets the message be split.
// RUN: %clang -O2 -mllvm -inline-threshold=-200 -c -Rpass=stretto -Rpass-missed=stretto -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -mllvm -inline-threshold=-200 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
#include <mpi.h>

void fill(double *b, int n, double x) {
  for (int i = 0; i < n; ++i)
    b[i] = i * x;
}
double sum(const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + b[i];
  return s;
}
void scatter(double *b, int n, const int *where) {
  for (int i = 0; i < n; ++i)
    b[where[i]] = i;
}
__attribute__((noinline)) void apart(double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = i;
}
__attribute__((weak)) void replaced(double *b, int n) { // another definition may take its place when the program is linked
  for (int i = 0; i < n; ++i)
    b[i] = i;
}

void send(double *b, int n, int dest) {
  fill(b, n, 0.5);
  // CHECK: callee.c:[[@LINE+1]]:3: remark: send at line [[@LINE+1]] starts inside the loop at line 7, strips of 2048 iterations
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
  fill(b, n, 3);
}
// IR-LABEL: @send(
// IR-NOT: call void @fill(
// IR: call i32 @stretto_send_end(
// IR: call void @fill(

double receive(double *b, int n, int source) {
  // CHECK: receive at line [[@LINE+1]] ends inside the loop at line 12
  MPI_Recv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sum(b, n);
}

void not_split(double *b, int n, int dest, const int *where) { // it stays a call
  scatter(b, n, where);
  // CHECK: send at line [[@LINE+1]] stays as it is: the message may be written in scatter, which is not inlined (line [[@LINE-1]])
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}
// IR-LABEL: @not_split(
// IR: call void @scatter(

void not_inlined(double *b, int n, int dest) {
  apart(b, n);
  // CHECK: send at line [[@LINE+1]] stays as it is: the message may be written in apart, which is not inlined (line [[@LINE-1]]); leave out noinline
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}

void not_known(double *b, int n, int dest) {
  replaced(b, n);
  // CHECK: send at line [[@LINE+1]] stays as it is: the message may be written in replaced, which is not inlined (line [[@LINE-1]]); make it static inline
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}
// IR-LABEL: @not_known(
// IR: call void @replaced(
