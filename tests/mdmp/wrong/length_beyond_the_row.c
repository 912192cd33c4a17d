#include <stretto/mdmp.h>

void f(int next, int i) {
    double a[10][6];
#pragma send(a[0:10][i:7], next)
//                     ^ the array has 6 elements, and the section has element 6
}
