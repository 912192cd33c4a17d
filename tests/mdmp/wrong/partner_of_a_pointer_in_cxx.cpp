#include <stretto/mdmp.h>

void f(double *a, int n, int *next) {
#pragma send(a[0:n], next)
//                   ^ the partner is of type 'int *': write an integer
}
