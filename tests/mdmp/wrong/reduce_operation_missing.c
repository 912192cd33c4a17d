#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(a[0:n])
//             ^ reduce has no operation: write reduce(+: a[0:n]); there are + * min max && || & | ^
}
