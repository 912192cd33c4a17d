// Sends of all shapes that are transformed: what is said to be ready is final, and the output is that of the plain program.
// RUN: %plain_clang -O2 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang -O3 -g %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// RUN: env STRETTO_PASS_OPTIONS= %clang -O3 %s %double -lm -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
// CHECK: double: {{[3-9][0-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#define N 20001
#define OUT __attribute__((noinline)) static void
#define SEND(b, n, dest, tag) MPI_Send(b, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD)

OUT fill(double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = sin(i);
  SEND(b, n, 1, 1);
}
OUT pack(double *restrict b, const double *restrict u, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = u[2 * i] + 1;
  SEND(b, n, 1, 2);
}
OUT copy(double *restrict b, const double *restrict u, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = u[i];
  SEND(b, n, 1, 3);
}
OUT grid(double *b, long rows, long columns) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      b[i * columns + j] = i * 3 + j;
  SEND(b, rows * columns, 1, 4);
}
OUT grid_upwards(double *b, long rows, long columns) {
  for (long i = rows - 1; i >= 0; --i)
    for (long j = 0; j < columns; ++j)
      b[i * columns + j] = i * 3 + j;
  SEND(b, rows * columns, 1, 5);
}
OUT recurrence(double *b, int n) { // writes ahead: the lower store is the frontier
  b[0] = 1;
  for (int i = 0; i + 1 < n; ++i) {
    b[i] *= 0.5;
    b[i + 1] = b[i] + i;
  }
  SEND(b, n, 1, 6);
}
OUT recurrence_downwards(double *b, int n) {
  b[n - 1] = 1;
  for (int i = n - 1; i > 0; --i) {
    b[i] *= 0.5;
    b[i - 1] = b[i] + i;
  }
  SEND(b, n, 1, 7);
}
OUT conditional_stores(double *b, const double *u, int n) {
  for (int i = 0; i < n; ++i)
    if (u[i] > 0.5)
      b[i] = u[i];
  SEND(b, n, 1, 8);
}
OUT overlapping(double *b, double *other, int n) { // other may be b + 1000
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    other[n - 1 - i] = -i;
  }
  SEND(b, n, 1, 9);
}
OUT by_pointer(double *b, double *end) {
  double x = 0;
  for (double *p = b; p < end; ++p)
    *p = x += 0.5;
  SEND(b, end - b, 1, 10);
}
OUT steps(double *restrict u, double *restrict row, int n, int m) {
  for (int t = 0; t < m; ++t) {
    for (int j = 0; j < n; ++j)
      row[j] = u[j] * (t + 1);
    SEND(row, n, 1, 11);
  }
}
OUT downwards(double *b, int n) {
  for (int i = n - 1; i >= 0; --i)
    b[i] = sin(i);
  SEND(b, n, 1, 12);
}
OUT pack_pack(const double *restrict u, double *restrict a, double *restrict b, int n, int m, int above, int below) {
  for (int i = 0; i < n; ++i)
    a[i] = u[i] * 2;
  for (int i = 0; i < m; ++i)
    b[i] = u[i] * 3;
  SEND(a, n, above, 13);
  SEND(b, m, below, 13);
}
OUT in_one_loop(const double *restrict u, double *restrict a, double *restrict b, int n, int above, int below) {
  for (int i = 0; i < n; ++i) {
    a[i] = u[i] * 2;
    b[i] = u[i] * 3;
  }
  SEND(a, n, above, 14);
  if (below >= 0)
    SEND(b, n, below, 14);
}
OUT accumulate(double *restrict b, const double *restrict a, int n, int m) {
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i)
      b[i] += a[k + i];
  SEND(b, n, 1, 15);
}
OUT accumulate_twice(double *restrict b, const double *restrict a, int n, int m) {
  for (int l = 0; l < m; ++l)
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < n; ++i)
        b[i] = b[i] * 0.5 + a[k + l + i];
  SEND(b, n, 1, 16);
}
OUT until(double *restrict b, const double *restrict a, int n, double limit) {
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    if (a[i] > limit)
      break;
  }
  SEND(b, n, 1, 17);
}
OUT if_wanted(double *b, int n, int wanted) {
  for (int i = 0; i < n; ++i)
    b[i] = i * 1.5;
  if (wanted)
    SEND(b, n, 1, 18);
}
OUT isend(double *restrict a, double *restrict b, int n) {
  MPI_Request one, other;
  for (int i = 0; i < n; ++i)
    a[i] = i * 2.5;
  for (int i = 0; i < n; ++i)
    b[i] = i * 3.5;
  MPI_Isend(a, n, MPI_DOUBLE, 1, 19, MPI_COMM_WORLD, &one);
  MPI_Isend(b, n, MPI_DOUBLE, 2, 19, MPI_COMM_WORLD, &other);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Wait(&other, MPI_STATUS_IGNORE);
}
OUT with_int(double *b, int rows, int columns) { // 32 bits that might wrap
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      b[i * columns + j] = i - j;
  SEND(b, rows * columns, 1, 20);
}
OUT stores_in_two_places(double *b, int n) {
  for (int i = 0; i < n; ++i) {
    b[2 * i] = i;
    b[2 * i + 1] = -i;
  }
  SEND(b, 2 * n, 1, 21);
}
OUT a_part_before(double *b, int n) {
  b[0] = 7;
  for (int i = 1; i < n; ++i)
    b[i] = b[i - 1] * 0.5 + i;
  SEND(b, n, 1, 22);
}
OUT sweep_with_a_swap(double *restrict a, double *restrict b, int n, int m) { // two loops a sweep, the last one fills
  for (int t = 0; t < m; ++t) {
    for (int i = 1; i < n - 1; ++i)
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; ++i)
      a[i] = b[i];
  }
  SEND(a, n, 1, 23);
}
OUT columns_of_a_grid(double *b, int n, int m) { // the inner loop strides: the frontier hardly moves
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      b[i * m + j] = i + 0.5 * j;
  SEND(b, n * m, 1, 24);
}

OUT two_parts(const double *restrict u, double *restrict b, int n, int m) { // the messages overlap where m < n
  for (int i = 0; i < n; ++i)
    b[i] = u[i] * 2;
  for (int i = 0; i < n; ++i)
    b[m + i] = u[i] * 3;
  SEND(b, n, 1, 25);
  SEND(b + m, n, 2, 25);
}
OUT two_halves(const double *restrict u, double *restrict b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = u[i] * 2;
  for (int i = 0; i < n; ++i)
    b[n + i] = u[i] * 3;
  SEND(b, n, 1, 26);
  SEND(b + n, n, 2, 26);
}
OUT after_the_loop(double *b, double *other, int n) { // other may be a part of the message
  for (int i = 0; i < n; ++i)
    b[i] = sin(i);
  other[7] = 3;
  SEND(b, n, 1, 27);
}
OUT strided(double *b, int n, long start, long stride) { // which may go down
  for (int i = 0; i < n; ++i)
    b[start + i * stride] = i;
  SEND(b, 2 * n, 1, 28);
}
OUT sometimes_filled(double *b, int n, int m) { // every other turn the loop does not run
  for (int t = 0; t < m; ++t) {
    int some = t % 2 ? 0 : n;
    for (int i = 0; i < some; ++i)
      b[i] = i + t;
    SEND(b, n, 1, 29);
  }
}
OUT destination_in_memory(double *b, int *dest, int n) { // the loop writes it
  for (int i = 0; i < n; ++i) {
    b[i] = sin(i);
    *dest = i % 3;
  }
  SEND(b, n, *dest, 30);
}
OUT until_beside_another(double *b, double *other, const double *restrict a, int n, double limit) { // other may be b + 1000
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * 2;
    other[n - 1 - i] = i;
    if (a[i] > limit)
      break;
  }
  SEND(b, n, 1, 31);
}

int main(void) {
  double *b = calloc(3 * N, sizeof *b), *u = calloc(3 * N, sizeof *u);
  for (int i = 0; i < 3 * N; ++i)
    u[i] = cos(i);
  fill(b, N), fill(b, 0), fill(b, 17), fill(b, 1);
  pack(b, u, N), copy(b, u, N), copy(b, u, 5), grid(b, 123, 157), grid_upwards(b, 123, 157), grid(b, 5, 0);
  recurrence(b, N), recurrence_downwards(b, N), conditional_stores(b, u, N);
  overlapping(b, u, N), overlapping(b, b + 1000, N), overlapping(b, b, N), overlapping(b + 1000, b, N);
  by_pointer(b, b + N), steps(u, b, N, 5), downwards(b, N), downwards(b, 3);
  pack_pack(u, b, b + N, N, N, 1, 2), pack_pack(u, b, b + N, 0, N, 1, 1), pack_pack(u, b, b + N, N, 0, 1, 1);
  pack_pack(u, b, b + N, N, N, -1, 2), in_one_loop(u, b, b + N, N, 1, 2), in_one_loop(u, b, b + N, N, 1, -1);
  accumulate(b, u, N, 4), accumulate(b, u, N, 1), accumulate(b, u, N, 0), accumulate(b, u, 0, 3);
  accumulate_twice(b, u, N, 3), accumulate_twice(b, u, N, 1);
  until(b, u, N, 2), until(b, u, N, 0.99999), until(b, u, N, -2), until(b, u, 0, 0);
  if_wanted(b, N, 1), if_wanted(b, N, 0), isend(b, b + N, N), with_int(b, 100, 190), stores_in_two_places(b, N);
  a_part_before(b, N), sweep_with_a_swap(b, u, N, 5), sweep_with_a_swap(b, u, N, 0), columns_of_a_grid(b, 100, 200);
  two_parts(u, b, N, N), two_parts(u, b, N, 100), two_halves(u, b, N);
  int dest = 5;
  strided(b, N, 0, 2), strided(b, N, 2 * N - 2, -2), sometimes_filled(b, N, 4), destination_in_memory(b, &dest, N);
  until_beside_another(b, b + N, u, N, 2), until_beside_another(b, b + 1000, u, N, 2);
  until_beside_another(b, b + 1000, u, N, 0.9999), until_beside_another(b, b, u, N, 0.99999999);
  after_the_loop(b, u, N), after_the_loop(b, b + 100, N);
}
