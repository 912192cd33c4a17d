#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n]) root(0)
//                        ^ reduce: clauses stand inside the brackets: write reduce(..., root(...))
}
