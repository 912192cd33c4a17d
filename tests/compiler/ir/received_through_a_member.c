// The pointer to the message is in memory, and is read again behind the call, which may have changed it: compared when the program runs.
// RUN: %remarks --check-prefix=SAID
// RUN: %clang -O2 -fno-discard-value-names -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

struct grid {
  double *in, *out;
  int n, other;
};

double of_a_struct(struct grid *g) {
  MPI_Recv(g->in, g->n, MPI_DOUBLE, g->other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]], strips of 2048 iterations, 1 check at run time
  double s = 0;
  for (int i = 0; i < g->n; ++i)
    s += g->in[i];
  return s;
}
// CHECK-LABEL: @of_a_struct(
// CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_recv_begin(ptr {{[^,]*}}, ptr {{[^%]*}}%[[P:[0-9]+]],
// CHECK: call void @stretto_hold_if_overlap(i64 %[[H]], ptr {{[^%]*}}%[[P]], ptr
// CHECK: %[[SAME:.*]] = icmp eq ptr %{{[0-9]+}}, %[[P]]
// CHECK: %[[OK:.*]] = zext i1 %[[SAME]] to i32
// CHECK: call void @stretto_hold_unless(i64 %[[H]], ptr {{[^%]*}}%[[P]], i32 {{.*}}%[[OK]])

static double *global;
void set(double *to) { global = to; }
double of_a_global(int n, int other) {
  MPI_Recv(global, n, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]], strips of 2048 iterations, 1 check at run time
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += global[i];
  return s;
}

struct whole {
  struct grid *grid;
};
double of_a_member_of_a_member(struct whole *w, int n) {
  MPI_Recv(w->grid->in, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] ends inside the loop at line [[@LINE+2]], strips of 2048 iterations, 1 check at run time
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += w->grid->in[i];
  return s;
}

double another_one(struct grid *g, int n) { // not the message
  MPI_Recv(g->in, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] stays as it is: no loop beside it reads the message
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += g->out[i];
  return s;
}

void pointers_of_bytes(unsigned char **p, unsigned char *sum, int n) { // each store may change the pointer
  MPI_Recv(*p, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // SAID: receive at line [[@LINE]] stays as it is: the pointer to the message is read again in the loop (line [[@LINE+2]]); copy it into a variable first
  for (int i = 0; i < n; ++i)
    sum[i] = (*p)[i] + 1;
}
