#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next) tag(3)
//                         ^ clauses stand inside the brackets: write send(..., tag(...))
}
