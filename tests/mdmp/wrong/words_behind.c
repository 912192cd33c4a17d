#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv(a[0:n], next) please
//                         ^ leave 'please' behind the brackets out
}
