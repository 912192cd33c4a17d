// Receives of all shapes that are transformed: what is read has been waited for.
// RUN: %plain_clang -O2 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang -O3 -g %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// RUN: env STRETTO_PASS_OPTIONS= %clang -O3 %s %double -lm -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
// CHECK: double: {{[1-9][0-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 20001
#define OUT __attribute__((noinline)) static double
#define RECV(b, n, source, tag) MPI_Recv(b, n, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

OUT sum(double *b, int n) {
  RECV(b, n, 0, 1);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}
OUT stencil(double *restrict b, double *restrict c, int n) { // LLVM loads the first two elements in front of the loop
  RECV(b, n, 0, 2);
  for (int i = 1; i < n - 1; ++i)
    c[i] = b[i - 1] - 2 * b[i] + b[i + 1];
  double s = 0;
  for (int i = 1; i < n - 1; ++i)
    s = s * 0.9999 + c[i];
  return s;
}
OUT scale(double *b, int n) { // writes what it has read
  RECV(b, n, 0, 3);
  for (int i = 0; i < n; ++i)
    b[i] *= 3;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}
OUT downwards(double *b, int n) {
  RECV(b, n, 0, 4);
  double s = 0;
  for (int i = n - 1; i >= 0; --i)
    s = s * 0.9999 + b[i];
  return s;
}
OUT until(double *b, int n, double limit) {
  RECV(b, n, 0, 5);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s = s * 0.9999 + b[i];
    if (b[i] > limit)
      break;
  }
  return s;
}
OUT two(double *restrict b, double *restrict c, int n) {
  RECV(b, n, 0, 6);
  RECV(c, n, 1, 6);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i] * c[i];
  return s;
}
OUT two_that_may_overlap(double *b, double *c, int n) {
  RECV(b, n, 0, 7);
  RECV(c, n, 1, 7);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i] * c[i];
  return s;
}
OUT with_status(double *restrict b, int n) {
  MPI_Status status;
  int result = MPI_Recv(b, n, MPI_DOUBLE, 5, 8, MPI_COMM_WORLD, &status);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return result ? -1 : s + status.MPI_SOURCE;
}
OUT writes_elsewhere(double *b, double *c, int n) { // c may be b + 1
  RECV(b, n, 0, 9);
  for (int i = 0; i + 1 < n; ++i)
    c[i] = b[i] * 0.5;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + c[i];
  return s;
}
OUT again_and_again(double *restrict b, double *restrict c, int n, int m) {
  RECV(b, n, 0, 10);
  double s = 0;
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i)
      s = s * 0.9999 + b[i] * c[k];
  return s;
}
OUT pipeline(double *restrict in, double *restrict out, int n) {
  RECV(in, n, 3, 11);
  for (int i = 0; i < n; ++i)
    out[i] = sqrt(in[i]);
  MPI_Send(out, n, MPI_DOUBLE, 4, 11, MPI_COMM_WORLD);
  return out[n / 2];
}
OUT reduction(double *restrict b, double *restrict in, int n, int ranks) {
  for (int k = 1; k < ranks; ++k) {
    RECV(in, n, k, 12);
    for (int i = 0; i < n; ++i)
      b[i] += in[i];
  }
  MPI_Send(b, n, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD);
  return b[0];
}
OUT rows_upwards(double *b, long rows, long columns) {
  RECV(b, rows * columns, 0, 13);
  double s = 0;
  for (long i = rows - 1; i >= 0; --i)
    for (long j = 0; j < columns; ++j)
      s = s * 0.9999 + b[i * columns + j];
  return s;
}
OUT looks_at_the_middle(double *b, int n) { // before the loop
  RECV(b, n, 0, 14);
  double s = b[n / 2];
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}
OUT in_place_with_gaps(double *b, int n) { // a third of what came is written, all of it is sent
  RECV(b, 3 * n, 0, 15);
  for (int i = n - 1; i >= 0; --i)
    b[3 * i + 1] = sin(i);
  MPI_Send(b, 3 * n, MPI_DOUBLE, 1, 15, MPI_COMM_WORLD);
  return b[0];
}
OUT stage_that_may_overlap(double *in, double *out, int n) {
  RECV(in, n, 0, 16);
  for (int i = 0; i < n; ++i)
    out[i] = 2 * in[i];
  MPI_Send(out, n, MPI_DOUBLE, 1, 16, MPI_COMM_WORLD);
  return out[n / 2];
}
OUT reply(double *restrict in, double *restrict out, int n) {
  MPI_Status status;
  MPI_Recv(in, n, MPI_DOUBLE, 6, 17, MPI_COMM_WORLD, &status);
  for (int i = 0; i < n; ++i)
    out[i] = 2 * in[i];
  MPI_Send(out, n, MPI_DOUBLE, status.MPI_SOURCE, 17, MPI_COMM_WORLD);
  return out[n / 2];
}

OUT tiles(double *b, int n) {
  RECV(b, n, 0, 20);
  double s = 0;
  for (int t = 0; t < n; t += 64)
    for (int i = t; i < (t + 64 < n ? t + 64 : n); ++i)
      s = s * 0.9999 + b[i];
  return s;
}
OUT stage_in_tiles(double *b, long n) {
  RECV(b, (int)n, 0, 21);
  for (long t = 0; t < n; t += 48)
    for (long i = t; i < (t + 48 < n ? t + 48 : n); ++i)
      b[i] = b[i] * 0.5 + i;
  MPI_Send(b, (int)n, MPI_DOUBLE, 1, 21, MPI_COMM_WORLD);
  return b[n / 2] + b[n - 1];
}
int main(void) {
  double *b = calloc(3 * N, sizeof *b), *c = calloc(3 * N, sizeof *c);
  for (int i = 0; i < 3 * N; ++i)
    c[i] = cos(i);
#define SHOW(call) printf("%s %.17g\n", #call, call)
  SHOW(sum(b, N)), SHOW(sum(b, 0)), SHOW(sum(b, 1)), SHOW(stencil(b, c, N)), SHOW(scale(b, N)), SHOW(downwards(b, N));
  SHOW(until(b, N, 1e9)), SHOW(until(b, N, 990)), SHOW(until(b, N, -1)), SHOW(two(b, c, N));
  SHOW(two_that_may_overlap(b, c, N)), SHOW(two_that_may_overlap(b, b + 100, N)), SHOW(two_that_may_overlap(b + 100, b, N));
  SHOW(with_status(b, N)), SHOW(writes_elsewhere(b, c, N)), SHOW(writes_elsewhere(b, b + 1, N));
  SHOW(again_and_again(b, c, N, 3)), SHOW(pipeline(b, c, N)), SHOW(reduction(c, b, N, 4)), SHOW(rows_upwards(b, 100, 150));
  SHOW(looks_at_the_middle(b, N)), SHOW(in_place_with_gaps(b, N)), SHOW(stage_that_may_overlap(b, c, N));
  SHOW(stage_that_may_overlap(b, b, N)), SHOW(stage_that_may_overlap(b + 50, b, N)), SHOW(stage_that_may_overlap(b, b + 50, N));
  SHOW(reply(b, c, N)), SHOW(tiles(b, N)), SHOW(tiles(b, 63)), SHOW(tiles(b, 0)), SHOW(stage_in_tiles(b, N));
}
