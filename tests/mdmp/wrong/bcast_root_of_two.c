#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n], root(0, 1))
//                    ^ root is one rank: write root(rank)
}
