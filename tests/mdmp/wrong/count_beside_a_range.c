#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], n, next)
//                   ^ the section says how many: leave the count 'n' out
}
