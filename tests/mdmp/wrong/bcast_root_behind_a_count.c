#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0], n, n - 1)
//                     ^ bcast: write root(n - 1) for its root
}
