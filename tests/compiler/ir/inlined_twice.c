// A call that is inlined in two places has one remark.
// RUN: %remarks --implicit-check-not=remark
#include <mpi.h>

static inline void send(double *b, int n, int dest) {
  // CHECK: remark: send at line [[@LINE+1]] starts inside the loop at line {{[0-9]+}}
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}
void one(double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  send(b, n, 1);
}
void other(double *b, int n) { send(b, n, 2); }
