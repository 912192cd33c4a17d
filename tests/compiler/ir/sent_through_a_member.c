// Both messages are filled before they are sent, and their pointers are read again for the calls.
// RUN: %remarks
#include <mpi.h>

struct grid {
  double *left, *right;
  int n, to_left, to_right;
};

void halo(struct grid *g, const double *restrict u) {
  for (int i = 0; i < g->n; ++i)
    g->left[i] = u[i] * 0.5;
  for (int i = 0; i < g->n; ++i)
    g->right[i] = u[g->n + i] * 0.5;
  MPI_Send(g->left, g->n, MPI_DOUBLE, g->to_left, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]], strips of 2048 iterations, 2 checks at run time
  MPI_Send(g->right, g->n, MPI_DOUBLE, g->to_right, 2, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations, 1 check at run time
}

void turned(struct grid *g, int n, int to) { // what is sent is not what was filled
  for (int i = 0; i < n; ++i)
    g->left[i] = i;
  double *left = g->left;
  g->left = g->right, g->right = left;
  MPI_Send(g->left, n, MPI_DOUBLE, to, 3, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is
}
