#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next, tag(-1))
//                             ^ the tag is -1: write a number of 0 or more
}
