// What is written behind the message is no part of it; a step that may go down can reach it.
// RUN: %remarks
#include <mpi.h>

void upwards(double *a, int n, long rows, int dest) {
  for (int i = 0; i < n; ++i)
    a[i] = i;
  for (long i = 0; i < rows; ++i)
    a[n + i * 4] = 1;
  MPI_Send(a, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]], strips of 2048 iterations
}

void anyhow(double *a, int n, long rows, long columns, int dest) {
  for (int i = 0; i < n; ++i)
    a[i] = i;
  for (long i = 0; i < rows; ++i)
    a[n + i * columns] = 1;
  MPI_Send(a, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]{{.*}} 1 check at run time
}
