#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(3, next)
//           ^ '3' is no variable
}
