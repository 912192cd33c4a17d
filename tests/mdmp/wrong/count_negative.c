#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0], -4, next)
//                 ^ the count is -4: write how many elements, 0 or more
}
