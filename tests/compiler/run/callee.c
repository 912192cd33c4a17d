// Messages that are filled and read in functions which LLVM does not inline: the output is that of the plain program.
// RUN: %plain_clang -O2 -mllvm -inline-threshold=-200 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 -mllvm -inline-threshold=-200 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang -O3 -g -mllvm -inline-threshold=-200 %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// RUN: env STRETTO_PASS_OPTIONS= %clang -O3 -mllvm -inline-threshold=-200 %s %double -lm -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
// CHECK: double: {{[1-9][0-9]*}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 20001
#define OUT __attribute__((noinline)) static void
#define SEND(b, n, dest, tag) MPI_Send(b, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD)

void fill(double *b, int n, double x) {
  for (int i = 0; i < n; ++i)
    b[i] = sin(i) * x;
}
void fill_down(double *b, int n, double x) {
  for (int i = n - 1; i >= 0; --i)
    b[i] = cos(i) * x;
}
void fill_beside(double *b, double *other, int n) { // other may be a part of b
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    other[n - 1 - i] = -i;
  }
}
void scatter(double *b, int n, int step) {
  for (int i = 0; i < n; ++i)
    b[(long)i * step % n] = i;
}
void fill_if(double *b, int n, int wanted) { // it returns early
  if (!wanted)
    return;
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.75;
}
double sum(const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}

OUT one(double *b, int n) {
  fill(b, n, 0.5);
  SEND(b, n, 1, 1);
  fill(b, n, 2);
}
OUT twice(double *b, int n) { // the second one counts
  fill(b, n, 0.5);
  fill_down(b, n, 0.25);
  SEND(b, n, 1, 2);
}
OUT two_messages(double *a, double *b, int n) { // b may be a part of a
  fill(a, n, 3);
  fill_down(b, n, 4);
  SEND(a, n, 1, 3);
  SEND(b, n, 2, 3);
}
OUT beside(double *b, double *other, int n) {
  fill_beside(b, other, n);
  SEND(b, n, 1, 4);
}
OUT scattered(double *b, int n) {
  scatter(b, n, 7);
  SEND(b, n, 1, 5);
}
OUT in_steps(double *b, int n, int m) {
  for (int t = 0; t < m; ++t) {
    fill_if(b, n, t % 2);
    SEND(b, n, 1, 6);
  }
}
OUT receive(double *b, int n) {
  MPI_Recv(b, n, MPI_DOUBLE, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%.17g\n", sum(b, n));
}

int main(void) {
  double *b = calloc(3 * N, sizeof *b);
  one(b, N), one(b, 0), one(b, 5), twice(b, N), two_messages(b, b + N, N), two_messages(b, b + 1000, N);
  beside(b, b + N, N), beside(b, b + 500, N), beside(b + 500, b, N), scattered(b, N), in_steps(b, N, 4);
  receive(b, N), receive(b, 3);
}
