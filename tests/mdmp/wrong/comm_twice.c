#include <stretto/mdmp.h>

void f(double *a, int n, int next, MPI_Comm c) {
#pragma send(a[0:n], next, comm(c), comm(c))
//                                  ^ send has one communicator: leave the second out
}
