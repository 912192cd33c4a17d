#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next += 1)
//                        ^ send changes nothing by itself: write what has '+=' as a statement before it
}
