#include <stretto/mdmp.h>

void f(const double *a, int n) {
#pragma bcast(a[0:n], root(0))
//            ^ 'a[0:n]' is const, and its result would be written there
}
