#include <stretto/mdmp.h>

void f(int next) {
    double a[10];
#pragma send(a[10:], next)
//             ^ the array has 10 elements, and the section begins at 10
}
