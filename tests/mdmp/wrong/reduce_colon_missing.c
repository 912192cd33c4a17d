#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+ a[0:n])
//               ^ reduce: ':' is missing behind the operation: write reduce(+: section)
}
