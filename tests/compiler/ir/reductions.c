// What each rank adds, and what all of them give.
// RUN: %remarks
#include <mpi.h>

long sums(int *restrict a, int *restrict b, int n) {
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 3;
  MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // CHECK: MPI_Allreduce at line [[@LINE]] starts inside the loop at line [[@LINE-2]], strips of 4096 iterations, and ends inside the loop at line [[@LINE+2]]
  long s = 0;
  for (int i = 0; i < 65536; ++i)
    s += b[i];
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 5;
  MPI_Reduce(a, b, n, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD); // CHECK: MPI_Reduce at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
  for (int i = 0; i < 65536; ++i)
    a[i] = i * 7;
  MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // CHECK: MPI_Allreduce at line [[@LINE]] stays as it is: of its contribution, the contribution is in place
  return s;
}
