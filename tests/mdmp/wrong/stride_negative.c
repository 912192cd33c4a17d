#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[n:n:-1], next)
//                 ^ the stride is -1, and 1 is the least
}
