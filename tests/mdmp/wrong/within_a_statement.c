#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
    a[0] = a[1] +
#pragma send(a[0:n], next)
//      ^ send stands within a statement: write it before the statement, or behind its ';'
           a[2];
}
