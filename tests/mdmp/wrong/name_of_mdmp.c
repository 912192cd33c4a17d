#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma mdmp send(a[0:n], next)
//      ^ '#pragma mdmp' is no directive in C: write '#pragma send', or '#pragma stretto send'
}
