#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma RECV(a[0:n], next)
//      ^ there is no directive 'RECV': did you mean 'recv'?
}
