#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[], next)
//            ^ these brackets are empty: write [lower:length], or [:] for all of an array
}
