#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(-: a[0:n])
//             ^ reduce: there is no operation '-': write + for a sum
}
