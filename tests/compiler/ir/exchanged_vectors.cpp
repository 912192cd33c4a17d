// Other objects must be destroyed if the collective throws.
// RUN: %remarks_c++
#include <cmath>
#include <mpi.h>
#include <vector>

double exchange(double *__restrict u, double *__restrict v, int n) {
  std::vector<double> other(7);
  for (int i = 0; i < 65536; ++i)
    u[i] = std::sqrt(i);
  MPI_Alltoall(u, n, MPI_DOUBLE, v, n, MPI_DOUBLE, MPI_COMM_WORLD); // CHECK: MPI_Alltoall at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  double s = 0;
  for (int i = 0; i < 65536; ++i)
    s += v[i];
  return s + other[3];
}
