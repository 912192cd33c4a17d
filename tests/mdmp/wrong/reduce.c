#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma reduce(+: a[0:n])
//      ^ reduce is no directive yet
}
