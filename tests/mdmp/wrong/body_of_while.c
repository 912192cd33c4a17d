#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
    while (n--)
#pragma recv(a[0:n], next)
//      ^ recv stands alone as the body of a statement
}
