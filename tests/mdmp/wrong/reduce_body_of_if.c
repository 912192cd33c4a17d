#include <stretto/mdmp.h>

void f(double *a, int n) {
    if (n)
#pragma reduce(+: a[0:n])
//      ^ reduce stands alone as the body of a statement
}
