#include <stretto/mdmp.h>

void f(int next) {
    double a[8];
#pragma send(a, next)
//           ^ 'a' is an array: write a[:] for all of it
}
