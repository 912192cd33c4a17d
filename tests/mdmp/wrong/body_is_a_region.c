#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
    if (n)
#pragma commregion
//      ^ commregion stands alone as the body of a statement
    a[0] = 1;
}
