#include <stretto/mdmp.h>

void f(double *a, int n, int next, MPI_Comm c) {
#pragma send(a[0:n], next, comm(c, c))
//                         ^ comm has one communicator
}
