#include <stretto/mdmp.h>

void f(const double *a, int n, int next) {
#pragma recv(a[0:n], next)
//           ^ 'a[0:n]' is const, and receives nothing
}
