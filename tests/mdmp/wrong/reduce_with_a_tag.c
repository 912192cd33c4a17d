#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+: a[0:n], tag(3))
//                        ^ reduce has no tag: all ranks of its communicator do it together
}
