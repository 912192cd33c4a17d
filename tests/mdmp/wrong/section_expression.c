#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a + 1, n, next)
//             ^ '+' makes this an expression, and a section is a variable
}
