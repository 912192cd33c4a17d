#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], n)
//                        ^ reduce: the section says how many: leave the count 'n' out
}
