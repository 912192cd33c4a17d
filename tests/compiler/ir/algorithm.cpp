// std::transform is a loop.
// RUN: %remarks_c++
#include <algorithm>
#include <mpi.h>
#include <vector>

void send(const std::vector<double> &a, double *b, int dest) {
  std::transform(a.begin(), a.end(), b, [](double x) { return 2 * x; });
  MPI_Send(b, int(a.size()), MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line {{[0-9]+}} of {{.*}}stl_algo.h, strips of 2048 iterations
}
