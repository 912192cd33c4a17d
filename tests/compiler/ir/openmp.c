// The threads of an OpenMP loop fill the message: their part of it is in another function, so it stays.
// RUN: %clang -O2 -fopenmp -c -Rpass=stretto -Rpass-missed=stretto -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s
#include <mpi.h>

void fill(double *b, int n, int dest) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  // CHECK: openmp.c:[[@LINE+1]]:3: remark: send at line [[@LINE+1]] stays as it is: the message may be filled by the threads of an OpenMP region (line [[@LINE-3]]); fill it by one thread, or let each thread say its part (MPIX_Delta_send_data)
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}
