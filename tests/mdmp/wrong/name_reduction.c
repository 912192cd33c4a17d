#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduction(+: a[0:n])
//      ^ there is no directive 'reduction': did you mean 'reduce'?
}
