#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv(a[0:n], MPI_ANY_SOURCE)
//                   ^ recv names its partner, and MPI_ANY_SOURCE is none: write a rank, or none
}
