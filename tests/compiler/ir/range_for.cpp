// A loop over a range, of a vector by reference.
// RUN: %remarks_c++
#include <mpi.h>
#include <vector>

void send(std::vector<double> &b, int dest) {
  double x = 0;
  for (double &v : b)
    v = x += 0.25;
  MPI_Send(b.data(), int(b.size()), MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
}
