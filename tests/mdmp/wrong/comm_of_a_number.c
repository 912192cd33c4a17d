#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next, comm(0))
//                              ^ '0' is no communicator: write comm(MPI_COMM_WORLD)
}
