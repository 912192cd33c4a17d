#include <stretto/mdmp.h>

void f(int next) {
    double a[10];
#pragma send(a[0:6:2], next)
//               ^ the array has 10 elements, and the section has element 10
}
