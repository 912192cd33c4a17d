// -fopenmp
#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma omp parallel
    {
#pragma send(a[0:n], next)
//      ^ send: every thread does it here: write tag(...), a number of each thread, or put it in '#pragma omp single'
    }
}
