#include <stretto/mdmp.h>

void f(int next) {
    double a[4][8];
#pragma recv(a[3][2], 7, next)
//                    ^ the array has 6 elements from a[3][2] on, and the count is 7
}
