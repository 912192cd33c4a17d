#include <stretto/mdmp.h>

void f(void *a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ behind a 'void *': convert it: write ((double *)p)[lower:length]
}
