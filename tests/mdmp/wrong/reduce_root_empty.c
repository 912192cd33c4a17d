#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], root())
//                        ^ root needs a rank: write root(0)
}
