#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv(a[0:n], next, tag(1.5))
//                             ^ the tag is of type 'double': write an integer
}
