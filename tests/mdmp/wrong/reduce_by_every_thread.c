// -fopenmp
#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma omp parallel
    {
#pragma reduce(+: a[0:n])
//      ^ reduce: every thread does it here: write comm(...), one of each thread, or put it in '#pragma omp single'
    }
}
