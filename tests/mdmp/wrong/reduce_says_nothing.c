#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce()
//             ^ reduce says nothing
}
