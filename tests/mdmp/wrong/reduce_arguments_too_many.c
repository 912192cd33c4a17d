#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0], n, n)
//                         ^ reduce has too many arguments: 'n'
}
