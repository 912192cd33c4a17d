#include <stretto/mdmp.h>

void f(int next) {
    double a[10];
#pragma send(a[-1:2], next)
//             ^ the array has 10 elements, and the section begins at -1: the first one is 0
}
