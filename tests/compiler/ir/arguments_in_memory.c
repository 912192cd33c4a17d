// The arguments of the send are read from a struct after the loop.
// RUN: %remarks
#include <mpi.h>

struct Message { double *buf; int n, dest; };
void fill(struct Message *m) {
  for (int i = 0; i < m->n; ++i)
    m->buf[i] = i;
  MPI_Send(m->buf, m->n, MPI_DOUBLE, m->dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside
}
