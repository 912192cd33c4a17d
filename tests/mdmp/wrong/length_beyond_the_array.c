#include <stretto/mdmp.h>

void f(int next) {
    double a[10];
#pragma send(a[4:8], next)
//               ^ the array has 10 elements, and the section has element 11: write [lower:length]
}
