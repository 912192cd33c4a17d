#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n])
//                  ^ bcast has no root: write root(rank) behind its section
}
