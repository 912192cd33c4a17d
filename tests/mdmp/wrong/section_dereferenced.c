#include <stretto/mdmp.h>

void f(double **a, int n, int next) {
#pragma send(*a[0:n], next)
//           ^ a section begins with the name of a variable, not with '*'
}
