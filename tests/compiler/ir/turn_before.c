// An exchange at the top of the time loop: what it sends was written at the bottom, in the turn before.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>
#include <stdbool.h>

enum { ROWS = 64, WIDE = 20000 };
static float old[ROWS + 2][WIDE], new[ROWS + 2][WIDE];

void jacobi(int steps, int up, int down) {
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(old[0], WIDE, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+5]], strips
    MPI_Irecv(old[ROWS + 1], WIDE, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &requests[1]); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+4]], strips
    MPI_Isend(old[ROWS], WIDE, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[2]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+8]], in the turn before, strips of {{.*}}, where its condition holds
    MPI_Isend(old[1], WIDE, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &requests[3]); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+7]], in the turn before, strips of {{.*}}, where its condition holds
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= ROWS; ++i)
      for (int j = 1; j < WIDE - 1; ++j)
        new[i][j] = 0.25f * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
    for (int i = 1; i <= ROWS; ++i)
      for (int j = 0; j < WIDE; ++j)
        old[i][j] = new[i][j];
  }
}
// The exchange stands twice: in front of the loop, and at its bottom, where its sends have begun.
// CHECK-LABEL: @jacobi(
// CHECK-DAG: call i32 @MPI_Isend(
// CHECK-DAG: call i64 @stretto_wait_begin(
// CHECK-DAG: call i64 @stretto_send_begin(
// CHECK-DAG: call i32 @stretto_isend_end(
// CHECK: ret void

void to_whom_there_is(double *restrict b, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; ++step) {
    if (left >= 0)
      MPI_Send(b, n, MPI_DOUBLE, left, step, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+3]], in the turn before, strips of {{.*}}, where its condition holds
    if (right >= 0)
      MPI_Send(b, n, MPI_DOUBLE, right, step, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE+1]], in the turn before, strips of {{.*}}, where its condition holds
    for (int i = 0; i < n; ++i)
      b[i] = i * step;
  }
}

// Nobody knows before the loop at the bottom whether there is another turn.
void until_it_converges(double *restrict b, int n, int dest) {
  double change;
  do {
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] stays as it is: no loop beside it writes the message in this function
    change = 0;
    for (int i = 0; i < n; ++i) {
      double to = b[i] * 0.5;
      change += b[i] - to;
      b[i] = to;
    }
  } while (change > 1e-3);
}

// What is written beside the loop is written again.
void touched_at_the_end(double *restrict b, int n, int steps, int dest) {
  for (int step = 0; step < steps; ++step) {
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] stays as it is: no loop beside it writes the message in this function
    for (int i = 0; i < n; ++i)
      b[i] = i * step;
    b[n / 2] = 7;
  }
}

// The receive would be at the bottom, and what reads its message at the top.
double received_at_the_top(double *restrict b, double *restrict c, int n, int steps, int dest) {
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Recv(c, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] stays as it is: the call of MPI_Send may communicate
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] stays as it is
    for (int i = 0; i < n; ++i) {
      sum += c[i];
      b[i] = sum;
    }
  }
  return sum;
}
