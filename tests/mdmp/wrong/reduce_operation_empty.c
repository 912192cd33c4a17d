#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(: a[0:n])
//             ^ reduce: the operation is missing before ':'
}
