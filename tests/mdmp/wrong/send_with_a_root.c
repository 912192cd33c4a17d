#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma send(a[0:n], n, root(0))
//                      ^ send has a partner, and no root: leave root(...) out
}
