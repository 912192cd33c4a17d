// Another object must be destroyed if the send throws.
// RUN: %remarks_c++
#include <cmath>
#include <mpi.h>
#include <vector>

void send(double *u, int n, int dest) {
  std::vector<double> other(7);
  for (int i = 0; i < n; ++i)
    u[i] = std::sqrt(i);
  MPI_Send(u, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
  MPI_Send(other.data(), 7, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is
}
