// Persistent sends, started each round: what is said to be ready is final, and the output is that of the plain program.
// RUN: %plain_clang -O2 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang -O2 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang -O3 -g %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// RUN: env STRETTO_PASS_OPTIONS= %clang -O3 %s %double -lm -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
// CHECK: double: {{[1-9][0-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#define N 20001
#define OUT __attribute__((noinline)) static void
#define INIT(b, n, dest, tag, request) MPI_Send_init(b, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD, request)

OUT steps(double *b, int n, int m) {
  MPI_Request request;
  INIT(b, n, 1, 1, &request);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      b[i] = sin(i + t);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}
OUT halo(double *restrict a, double *restrict b, const double *restrict u, int n, int m) {
  MPI_Request requests[2];
  INIT(a, n, 1, 2, &requests[0]);
  INIT(b, n, 2, 2, &requests[1]);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      a[i] = u[i] * t;
    for (int i = n - 1; i >= 0; --i)
      b[i] = u[i] + t;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}
OUT one_by_one(double *a, double *b, int n, int m) { // which may be one array, or parts of one
  MPI_Request requests[2];
  INIT(a, n, 1, 3, &requests[0]);
  INIT(b, n, 1, 4, &requests[1]);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      a[i] = i * 0.5 + t;
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      b[i] = i * 0.25 + t;
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
}
OUT to_both(double *b, int n, int m) { // one buffer, two messages
  MPI_Request requests[2];
  INIT(b, n, 1, 5, &requests[0]);
  INIT(b, n, 2, 5, &requests[1]);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      b[i] = cos(i + t);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}
OUT now_and_then(double *b, int n, int m) { // not in each round
  MPI_Request request;
  INIT(b, n, 1, 6, &request);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < n; ++i)
      b[i] = i * 0.25 + t;
    if (t % 3 == 1) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}
OUT accumulate(double *restrict b, const double *restrict u, int n, int m) {
  MPI_Request request;
  INIT(b, n, 1, 7, &request);
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i)
      b[i] += u[i + k];
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
struct exchange {
  double *out;
  int n;
  MPI_Request request;
};
OUT in_a_struct(struct exchange *e, int m) {
  INIT(e->out, e->n, 1, 8, &e->request);
  for (int t = 0; t < m; ++t) {
    for (int i = 0; i < e->n; ++i)
      e->out[i] = i + t;
    MPI_Start(&e->request);
    MPI_Wait(&e->request, MPI_STATUS_IGNORE);
  }
}
OUT one_of_two(double *a, double *b, int n, int which) { // the request of the other buffer is started
  MPI_Request requests[2];
  INIT(a, n, 1, 9, &requests[0]);
  INIT(b, n, 1, 9, &requests[1]);
  for (int i = 0; i < n; ++i)
    a[i] = sin(i);
  MPI_Start(&requests[which]);
  MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
}
OUT another_request(double *restrict b, double *restrict c, int n, MPI_Request *request, MPI_Request *others) {
  MPI_Request other;
  INIT(b, n, 1, 10, request);
  INIT(c, n, 2, 10, &other);
  for (int i = 0; i < n; ++i) { // request may be one of them
    b[i] = sin(i);
    others[i & 7] = other;
  }
  MPI_Start(request);
}
OUT two_counts(double *b, int which) { // what is behind the shorter message is in the longer one
  MPI_Request requests[2];
  INIT(b, N / 2, 1, 11, &requests[0]);
  INIT(b, N, 1, 11, &requests[1]);
  for (int i = 0; i < N; ++i)
    b[i] = sin(i);
  b[N - 100] = 7;
  MPI_Start(&requests[which]);
  MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
}

int main(void) {
  double *b = calloc(3 * N, sizeof *b), *u = calloc(3 * N, sizeof *u);
  for (int i = 0; i < 3 * N; ++i)
    u[i] = cos(i);
  struct exchange e = {b, N, 0};
  steps(b, N, 4), steps(b, 0, 2), steps(b, N, 0), halo(b, b + N, u, N, 3);
  one_by_one(b, b + N, N, 3), one_by_one(b, b, N, 2), one_by_one(b, b + 100, N, 2);
  to_both(b, N, 2), now_and_then(b, N, 5), accumulate(b, u, N, 3), in_a_struct(&e, 3);
  one_of_two(b, b + N, N, 0), one_of_two(b, b + N, N, 1), one_of_two(b, b, N, 1);
  two_counts(b, 0), two_counts(b, 1);
  MPI_Request request, others[8];
  another_request(b, b + N, N, &request, others), another_request(b, b + N, N, others + 3, others);
}
