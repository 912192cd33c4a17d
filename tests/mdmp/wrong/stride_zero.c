#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n:0], next)
//                 ^ the stride is 0, and 1 is the least
}
