#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], root(0.5))
//                             ^ the root is of type 'double': write an integer
}
