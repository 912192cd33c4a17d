#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], partner(0))
//                        ^ reduce: there is no clause 'partner': there are root(rank) and comm(communicator)
}
