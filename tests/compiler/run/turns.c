// Exchanges at the top of a loop, of what its last turn wrote: whatever ends the loop, and whatever changes from turn to turn.
// RUN: %plain_clang -O2 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang -O3 -g %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// RUN: env STRETTO_PASS_OPTIONS= %clang -O3 %s %double -lm -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
// CHECK: double: {{[1-9][0-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 20001
#define OUT __attribute__((noinline)) static double
#define SEND(b, n, dest, tag) MPI_Send(b, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD)
#define ISEND(b, n, dest, tag, request) MPI_Isend(b, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD, request)
#define IRECV(b, n, source, tag, request) MPI_Irecv(b, n, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, request)

static double sum(const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}

OUT halo(double *restrict u, double *restrict v, int n, int steps) { // u: four rows, of which the outer ones are the neighbours'
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    IRECV(u, n, 1, 1, &requests[0]);
    IRECV(u + 3 * n, n, 2, 1, &requests[1]);
    ISEND(u + n, n, 1, 1, &requests[2]);
    ISEND(u + 2 * n, n, 2, 1, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int row = 1; row < 3; ++row)
      for (int i = 0; i < n; ++i)
        v[row * n + i] = u[row * n - n + i] + 0.5 * u[row * n + n + i];
    for (int row = 1; row < 3; ++row)
      for (int i = 0; i < n; ++i)
        u[row * n + i] = 0.5 * v[row * n + i];
  }
  return sum(u, 4 * n);
}
OUT one_after_another(double *restrict b, int n, int steps, int dest) { // tags that change
  for (int step = 0; step < steps; ++step) {
    SEND(b, n, dest, step);
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
  }
  return b[n - 1];
}
OUT named_at_the_top(double *restrict b, int n, int steps, int dest) { // what the top computes is used below, and after the loop
  int last = -1;
  for (int step = 0; step < steps; ++step) {
    int tag = (step * 7 + dest) % 5;
    SEND(b, n, dest, tag);
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + tag;
    last = tag;
  }
  return b[n - 1] + last;
}
OUT to_some(double *restrict b, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[2];
    int many = 0;
    if (left >= 0)
      ISEND(b, n, left, 2, &requests[many++]);
    if (right >= 0)
      ISEND(b, n, right, 2, &requests[many++]);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
  }
  return b[n - 1];
}
OUT by_parity(double *restrict b, int n, int steps, int dest) { // one way or the other
  for (int step = 0; step < steps; ++step) {
    if (step % 2)
      SEND(b, n, dest, 3);
    else
      SEND(b, n, dest + 1, 4);
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
  }
  return b[n - 1];
}
OUT ended_within(double *restrict b, int n, int steps, int last, int dest) { // by a break, or by the steps
  for (int step = 0; step < steps; ++step) {
    SEND(b, n, dest, 5);
    if (step == last)
      break;
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
  }
  return b[n - 1];
}
OUT ended_by_what_was_computed(double *restrict b, int n, double least, int dest) {
  double most;
  do {
    SEND(b, n, dest, 6);
    most = 0;
    for (int i = 0; i < n; ++i) {
      b[i] *= 0.5;
      most = b[i] > most ? b[i] : most;
    }
  } while (most > least);
  return b[n - 1];
}
OUT skipping(double *restrict b, int n, int steps, int dest) { // two ways to the next turn
  for (int step = 0; step < steps; ++step) {
    SEND(b, n, dest, 7);
    if (step % 3 == 1)
      continue;
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
    if (step % 3 == 2)
      continue;
    b[n / 2] = step;
  }
  return b[n / 2];
}
OUT swapped(double *restrict a, double *restrict b, int n, int steps, int dest) { // two buffers in turn
  double *from = a, *to = b;
  for (int step = 0; step < steps; ++step) {
    SEND(from, n, dest, 8);
    for (int i = 0; i < n; ++i)
      to[i] = from[i] * 0.5 + step;
    double *other = from;
    from = to;
    to = other;
  }
  return from[n - 1];
}
OUT two_levels(double *restrict b, int n, int steps, int dest) {
  for (int outer = 0; outer < steps; ++outer)
    for (int step = 0; step < 2; ++step) {
      SEND(b, n, dest, outer);
      for (int i = 0; i < n; ++i)
        b[i] = b[i] * 0.5 + step;
    }
  return b[n - 1];
}
OUT copied(double *restrict b, const double *restrict c, int n, int steps, int dest) {
  for (int step = 0; step < steps; ++step) {
    SEND(b, n, dest, 9);
    for (int i = 0; i < n; ++i)
      b[i] = c[i];
  }
  return b[n - 1];
}
OUT started(double *restrict b, int n, int steps, int dest) {
  MPI_Request request;
  MPI_Send_init(b, n, MPI_DOUBLE, dest, 10, MPI_COMM_WORLD, &request);
  for (int step = 0; step < steps; ++step) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      b[i] = b[i] * 0.5 + step;
  }
  MPI_Request_free(&request);
  return b[n - 1];
}
OUT length_changes(double *restrict b, int n, int steps, int dest) { // more is sent than was written
  for (int step = 0; step < steps; ++step) {
    SEND(b, n / (1 + step % 2), dest, 11);
    for (int i = 0; i < n / (2 - step % 2); ++i)
      b[i] = b[i] * 0.5 + step;
  }
  return b[n - 1];
}

static double *room(void) {
  double *b = malloc((N * 8 + 64) * sizeof *b);
  for (int i = 0; i < N * 8 + 64; ++i)
    b[i] = i % 17;
  return b;
}

int main(void) {
  double *b = room(), *c = room();
  for (int steps = 0; steps < 4; ++steps) {
    printf("%.17g\n", halo(b, c, N, steps));
    printf("%.17g %.17g\n", one_after_another(b, N, steps, 3), named_at_the_top(b, N, steps, 4));
    for (int which = 0; which < 4; ++which)
      printf("%.17g\n", to_some(b, N, steps, which & 1 ? 5 : -1, which & 2 ? 6 : -1));
    printf("%.17g\n", by_parity(b, N, steps, 7));
    printf("%.17g %.17g\n", ended_within(b, N, steps, 1, 8), ended_within(b, N, steps, -1, 8));
    printf("%.17g\n", ended_by_what_was_computed(b, N, steps, 9));
    printf("%.17g %.17g\n", skipping(b, N, steps + 3, 10), swapped(b, c, N, steps, 11));
    printf("%.17g %.17g\n", two_levels(b, N, steps, 12), copied(b, c, N, steps, 13));
    printf("%.17g %.17g\n", started(b, N, steps, 14), length_changes(b, N, steps, 15));
  }
  return 0;
}
