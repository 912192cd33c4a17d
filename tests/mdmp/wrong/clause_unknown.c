#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next, priority(3))
//                         ^ there is no clause 'priority': there are tag(number) and comm(communicator)
}
