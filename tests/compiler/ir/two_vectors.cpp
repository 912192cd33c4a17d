// Two vectors made here, packed and sent. The first send may throw: the second message must not have begun then.
// RUN: %remarks_c++
#include <mpi.h>
#include <vector>

void halos(const double *u, int n, int above, int below) {
  std::vector<double> up(n), down(n);
  for (int i = 0; i < n; ++i)
    up[i] = u[i] * 2;
  for (int i = 0; i < n; ++i)
    down[i] = u[i] * 3;
  MPI_Send(up.data(), n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
  MPI_Send(down.data(), n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call is conditional: the loop may run without it
}
