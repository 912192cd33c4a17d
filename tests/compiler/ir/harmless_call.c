// A function that nobody sees is called in the loops, and the user answers for it.
// RUN: env STRETTO_PASS_OPTIONS="-stretto-strip-bytes=16384 -stretto-harmless=progress,counted" %remarks
// RUN: %remarks --check-prefix=WITHOUT
#include <mpi.h>
void progress(int i);
long counted(long n);
void unknown(void);

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    progress(i);
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] starts inside the loop at line [[@LINE-4]]
} // WITHOUT: send at line [[@LINE-1]] stays as it is: the call of progress may communicate

double use(double *b, int n, int source, long *left) {
  double sum = 0;
  MPI_Recv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // CHECK: receive at line [[@LINE]] ends inside the loop at line [[@LINE+1]]
  for (int i = 0; i < n; ++i) {
    sum += b[i];
    *left = counted(*left);
  }
  return sum;
}

void another(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i) {
    b[i] = i;
    progress(i);
    unknown();
  }
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // CHECK: send at line [[@LINE]] stays as it is: the call of unknown may communicate
}
