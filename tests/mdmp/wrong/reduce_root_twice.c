#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], root(0), root(1))
//                                 ^ reduce has one root: leave the second out
}
