#include <stretto/mdmp.h>

void f(double *a, int next) {
#pragma send(a[0:], next)
//            ^ how many elements 'double *' points to is not known: write [lower:length]
}
