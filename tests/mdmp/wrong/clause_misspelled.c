#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next, tga(3))
//                         ^ there is no clause 'tga': did you mean 'tag'?
}
