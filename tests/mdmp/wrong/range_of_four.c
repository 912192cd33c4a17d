#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n:2:1], next)
//                  ^ a range has three parts: write [lower:length:stride]
}
