#include <stretto/mdmp.h>

void f(double *a, int next) {
#pragma send(a, next)
//           ^ 'a' is a pointer, without bounds: write a[0:length]
}
