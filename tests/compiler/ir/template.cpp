// A template: the call is described by the name of the instance.
// RUN: %remarks_c++ --check-prefix=SAID
// RUN: %clang++ -O2 -S -emit-llvm %s -o - | %FileCheck %s
#include <mpi.h>

template <typename T> void fill(T *b, int n, int dest, MPI_Datatype type) {
  for (int i = 0; i < n; ++i)
    b[i] = T(i) / 2;
  MPI_Send(b, n, type, dest, 1, MPI_COMM_WORLD); // SAID: send at line [[@LINE]] starts inside the loop at line [[@LINE-2]]
}
template void fill<double>(double *, int, int, MPI_Datatype);
// CHECK-DAG: constant [{{[0-9]+}} x i8] c"_Z4fillIdEvPT_iiP{{.*}}\00"
