#include <stretto/mdmp.h>

void f(double **a, int n) {
#pragma reduce(+: a[0:n])
//                ^ the elements are pointers, 'double *'
}
