#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma broadcast(a[0:n], root(0))
//      ^ there is no directive 'broadcast': did you mean 'bcast'?
}
