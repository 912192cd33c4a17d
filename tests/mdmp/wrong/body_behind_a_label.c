#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
    if (n)
    here:
#pragma send(a[0:n], next)
//      ^ send stands alone as the body of a statement
    if (n--) goto here;
}
