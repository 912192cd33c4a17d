#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n], 0)
//                    ^ bcast: write root(0) for its root
}
