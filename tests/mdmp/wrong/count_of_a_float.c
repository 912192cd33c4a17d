#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0], n * 0.5, next)
//                 ^ the count is of type 'double': write an integer
}
