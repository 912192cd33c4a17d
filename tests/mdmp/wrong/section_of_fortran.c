#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a(1:n), next)
//            ^ subscripts of C are written [lower:length]
}
