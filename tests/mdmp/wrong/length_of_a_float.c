#include <stretto/mdmp.h>

void f(double *a, float n, int next) {
#pragma send(a[0:n], next)
//               ^ the length is of type 'float': write an integer
}
