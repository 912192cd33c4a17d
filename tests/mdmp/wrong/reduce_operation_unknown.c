#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(mean: a[0:n])
//             ^ reduce: there is no operation 'mean': there are + * min max && || & | ^
}
