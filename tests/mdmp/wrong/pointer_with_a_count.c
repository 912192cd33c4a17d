#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a, n, next)
//           ^ 'a' is a pointer, without bounds: write a[0:length] without a count, or a[0] with it
}
