// Both receives write the same status: the last one counts.
// RUN: %remarks
#include <mpi.h>

double product(double *restrict b, double *restrict c, int n, MPI_Status *status) {
  MPI_Recv(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, status); // CHECK: receive at line [[@LINE]] stays as it is: {{.*}}status{{.*}}(line [[@LINE+1]])
  MPI_Recv(c, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, status);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += b[i] * c[i];
  return sum;
}
