#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], -1)
//                   ^ a rank is not negative: write none for no partner, in place of -1
}
