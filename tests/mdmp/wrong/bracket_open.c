#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next
//          ^ this '(' is not closed: write ')' on the same line
}
