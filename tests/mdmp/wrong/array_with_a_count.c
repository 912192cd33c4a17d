#include <stretto/mdmp.h>

void f(int n, int next) {
    double a[8][8];
#pragma send(a[1], n, next)
//           ^ 'a[1]' is an array, and the count is of elements: write its first one, a[1][0]
}
