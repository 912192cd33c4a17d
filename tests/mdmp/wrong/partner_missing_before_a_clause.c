#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv(a[0:n], tag(3))
//                         ^ recv has no partner: write recv(a[0:n], partner)
}
