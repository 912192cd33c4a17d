// -fopenmp
#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = i;
#pragma send(a[0:n], next)
//      ^ send: every thread does it here: write tag(...)
    }
}
