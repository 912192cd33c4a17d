#include <stretto/mdmp.h>

void f(double *a, int n, int *next) {
#pragma send(a[0:n], next[0:2])
//                   ^ the partner is one rank, not a section
}
