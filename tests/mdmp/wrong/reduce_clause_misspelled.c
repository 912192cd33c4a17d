#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], roots(0))
//                        ^ reduce: there is no clause 'roots': did you mean 'root'?
}
