#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma send(a[0:n], neighbour)
//                   ^ use of undeclared identifier 'neighbour'
}
