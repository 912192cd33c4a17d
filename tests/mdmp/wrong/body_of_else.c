#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
    if (n)
        a[0] = 1;
    else
#pragma send(a[0:n], next)
//      ^ put the body in braces
}
