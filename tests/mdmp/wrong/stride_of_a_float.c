#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n:2.0], next)
//                 ^ the stride is of type 'double': write an integer
}
