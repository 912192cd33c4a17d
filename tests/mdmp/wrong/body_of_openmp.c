// -fopenmp
#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma omp single
#pragma send(a[0:n], next)
//      ^ send stands alone as the body of a statement
}
