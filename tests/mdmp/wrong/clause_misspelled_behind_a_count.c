#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0], n, next, com(MPI_COMM_WORLD))
//                          ^ there is no clause 'com': did you mean 'comm'?
}
