// The message is a member of an object.
// RUN: %remarks_c++
#include <mpi.h>

struct Field {
  double *data;
  int n, dest;
  void send();
};
void Field::send() {
  for (int i = 0; i < n; ++i)
    data[i] = 0.5 * i;
  MPI_Send(data, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
