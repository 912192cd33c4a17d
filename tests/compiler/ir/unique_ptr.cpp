// Memory of a std::unique_ptr.
// RUN: %remarks_c++
#include <memory>
#include <mpi.h>

void send(int n, int dest) {
  auto b = std::make_unique<double[]>(n);
  for (int i = 0; i < n; ++i)
    b[i] = 0.5 * i;
  MPI_Send(b.get(), n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
