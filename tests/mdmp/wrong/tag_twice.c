#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next, tag(3), tag(4))
//                                 ^ send has one tag: leave the second out
}
