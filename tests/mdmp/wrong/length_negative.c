#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[8:-2], next)
//               ^ the length is -2: behind the colon stands how many elements, not the last one
}
