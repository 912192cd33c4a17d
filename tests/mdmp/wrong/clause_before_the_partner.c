#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], tag(3), next)
//                           ^ clauses come last: write 'next' before them
}
