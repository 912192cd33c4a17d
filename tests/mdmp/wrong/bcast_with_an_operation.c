#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(+: a[0:n], root(0))
//            ^ bcast: a section begins with the name of a variable, not with '+'
}
