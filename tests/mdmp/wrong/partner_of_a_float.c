#include <stretto/mdmp.h>

void f(double *a, int n, double next) {
#pragma send(a[0:n], next)
//                   ^ the partner is of type 'double': write an integer
}
