#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma sent(a[0:n], next)
//      ^ there is no directive 'sent': did you mean 'send'?
}
