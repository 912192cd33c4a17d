// Receives that are waited for, in branches, through pointers in memory, with what they return looked at: what is read has come.
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
#define IRECV(b, n, source, tag, request) MPI_Irecv(b, n, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, request)

OUT one(double *b, int n) {
  MPI_Request request;
  MPI_Status status;
  IRECV(b, n, 3, 1, &request);
  MPI_Wait(&request, &status);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s + status.MPI_SOURCE;
}
OUT all_of_them(double *restrict b, double *restrict c, double *restrict d, int n) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  IRECV(b, n, 2, 2, &requests[0]);
  IRECV(c, n, 3, 2, &requests[1]);
  IRECV(d, n, 4, 2, &requests[2]);
  MPI_Waitall(3, requests, statuses);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + c[i];
  for (int i = n - 1; i >= 0; --i)
    s = s * 0.9999 + b[i];
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + d[i];
  return s + statuses[1].MPI_SOURCE * 10 + statuses[2].MPI_SOURCE;
}
OUT halo(double *restrict u, double *restrict out, double *restrict in, int n, int m) {
  MPI_Request requests[4];
  IRECV(in, n, 1, 3, &requests[0]);
  IRECV(in + n, n, 2, 3, &requests[1]);
  for (int i = 0; i < n; ++i)
    out[i] = u[i * m + 1];
  for (int i = 0; i < n; ++i)
    out[n + i] = u[i * m + m - 2];
  MPI_Isend(out, n, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out + n, n, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; ++i)
    u[i * m] = in[i];
  for (int i = 0; i < n; ++i)
    u[i * m + m - 1] = in[n + i];
  double s = 0;
  for (int i = 0; i < n * m; ++i)
    s = s * 0.999 + u[i];
  return s;
}
OUT on_conditions(double *b, double *c, int n, int which) {
  MPI_Request requests[2];
  int many = 0;
  if (which & 1)
    IRECV(b, n, 5, 4, &requests[many++]);
  if (which & 2)
    IRECV(c, n, 6, 4, &requests[many++]);
  MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i] - c[i];
  for (int i = 0; i < n; ++i)
    b[i] = c[i] = i;
  return s;
}
OUT branch(double *b, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    if (t % 3)
      RECV(b + t, n, t, 5);
    for (int i = 0; i < n; ++i)
      s = s * 0.9999 + b[i + t];
    for (int i = 0; i < n; ++i)
      b[i] = s;
  }
  return s;
}
OUT next_turn(double *b, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; ++t) {
    RECV(b, n, t, 6);
    if (b[3] > 30)
      continue;
    for (int i = 0; i < n; ++i)
      s = s * 0.9999 + b[i];
  }
  return s + b[n - 1];
}
OUT leaves(double *b, int n, int source) {
  if (RECV(b, n, source, 7) != MPI_SUCCESS || b[0] > 25)
    return b[n - 2];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s = s * 0.9999 + b[i];
    if (s > 400)
      return s + b[n - 1];
  }
  return s;
}
__attribute__((noinline)) static void look(const double *b, int n) {
  printf("%g %g ", b[n / 2], b[n - 3]);
}
OUT aside(double *b, int n, int source) {
  RECV(b, n, source, 8);
  if (source & 1)
    look(b, n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + b[i];
  return s;
}
struct grid {
  double *in, *out, *other;
  int n;
};
OUT member(struct grid *g) {
  RECV(g->in, g->n, 0, 9);
  double s = 0;
  for (int i = 0; i < g->n; ++i)
    s = s * 0.9999 + g->in[i];
  return s;
}
OUT turned(struct grid *g, int n) { // what is read is not what has come
  RECV(g->in, n, 0, 11);
  double *in = g->in;
  g->in = g->out, g->out = in;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + g->in[i] + g->out[i];
  return s;
}
__attribute__((noinline)) static void turn(struct grid *g) {
  double *in = g->in;
  g->in = g->other, g->other = in;
}
OUT turned_elsewhere(struct grid *g, int n, int when) {
  RECV(g->in, n, 0, 12);
  if (when)
    turn(g), puts("turned");
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + g->in[i];
  return s;
}
OUT sends_members(struct grid *g, int n) {
  for (int i = 0; i < n; ++i)
    g->in[i] = i * 0.5;
  for (int i = 0; i < n; ++i)
    g->out[i] = i * 0.25;
  MPI_Send(g->in, n, MPI_DOUBLE, 1, 13, MPI_COMM_WORLD);
  MPI_Send(g->out, n, MPI_DOUBLE, 2, 13, MPI_COMM_WORLD);
  return g->in[n / 2];
}
OUT sends_one_member_twice(struct grid *g, int n) { // out is in + 7
  double *out = g->out;
  g->out = g->in + 7;
  for (int i = 0; i < n; ++i)
    g->in[i] = i * 0.5;
  for (int i = 0; i < n; ++i)
    g->out[i] = i * 0.25;
  MPI_Send(g->in, n, MPI_DOUBLE, 1, 14, MPI_COMM_WORLD);
  MPI_Send(g->out, n, MPI_DOUBLE, 2, 14, MPI_COMM_WORLD);
  g->out = out;
  return g->in[n / 2];
}

OUT exchange(double *restrict out, double *restrict in, int n) {
  MPI_Status status;
  for (int i = 0; i < n; ++i)
    out[i] = sqrt(i);
  int result = MPI_Sendrecv(out, n, MPI_DOUBLE, 1, 15, in, n, MPI_DOUBLE, 2, 15, MPI_COMM_WORLD, &status);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + in[i];
  return s + status.MPI_SOURCE + result;
}
OUT half_an_exchange(double *restrict out, double *restrict in, int n) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, 1, 16, in, n, MPI_DOUBLE, 3, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.9999 + in[i];
  for (int i = 0; i < n; ++i)
    out[i] = sqrt(i);
  MPI_Sendrecv(out, n, MPI_DOUBLE, 1, 17, in, n, MPI_DOUBLE, 3, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return s + in[n / 2];
}
OUT no_exchange(double *restrict out, double *restrict in, int n) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, 1, 18, in, n, MPI_DOUBLE, 3, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return in[n / 2];
}

static double *room(void) {
  double *b = malloc((N * 8 + 64) * sizeof *b);
  for (int i = 0; i < N * 8 + 64; ++i)
    b[i] = i % 17;
  return b;
}

int main(void) {
  double *b = room(), *c = room(), *d = room();
  struct grid g = {b, c, d, N};
  printf("%.17g\n", one(b, N));
  printf("%.17g\n", all_of_them(b, c, d, N));
  printf("%.17g\n", halo(b, c, d, N / 4, 16));
  for (int which = 0; which < 4; ++which)
    printf("%.17g\n", on_conditions(b, c, N, which));
  printf("%.17g\n", branch(b, N, 7));
  printf("%.17g\n", next_turn(b, N, 9));
  for (int source = 0; source < 12; ++source)
    printf("%.17g %.17g\n", leaves(b, N, source), aside(b, N, source));
  printf("%.17g %.17g\n", member(&g), turned(&g, N));
  printf("%.17g %.17g\n", turned_elsewhere(&g, N, 0), turned_elsewhere(&g, N, 1));
  printf("%.17g %.17g\n", sends_members(&g, N), sends_one_member_twice(&g, N));
  printf("%.17g %.17g %.17g\n", exchange(b, c, N), half_an_exchange(b, c, N), no_exchange(b, c, N));
  return 0;
}
