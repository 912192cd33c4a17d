#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n], root(master))
//                         ^ use of undeclared identifier 'master'
}
