// A std::array.
// RUN: %remarks_c++
#include <array>
#include <mpi.h>

void send(std::array<double, 100000> &b, int dest) {
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = 0.5 * double(i);
  MPI_Send(b.data(), int(b.size()), MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 2048 iterations
}
