#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], root(-1))
//                             ^ reduce: a root is a rank of the communicator, 0 or more
}
