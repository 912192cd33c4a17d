#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n])
//                 ^ send has no partner: write send(a[0:n], partner), a rank or none
}
