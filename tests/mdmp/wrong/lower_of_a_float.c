#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0.5:n], next)
//            ^ array subscript is not an integer
}
