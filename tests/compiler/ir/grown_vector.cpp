// The vector grows in the loop: its memory moves.
// RUN: %remarks_c++
#include <mpi.h>
#include <vector>

void send(int n, int dest) {
  std::vector<double> b;
  for (int i = 0; i < n; ++i)
    b.push_back(i);
  MPI_Send(b.data(), n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is:
}
