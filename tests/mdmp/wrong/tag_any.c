#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv(a[0:n], next, tag(MPI_ANY_TAG))
//                             ^ MPI_ANY_TAG is none: write a number of 0 or more
}
