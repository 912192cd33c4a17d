#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], comm(3))
//                             ^ '3' is no communicator
}
