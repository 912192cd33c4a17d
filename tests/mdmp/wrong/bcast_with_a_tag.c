#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n], root(0), tag(3))
//                             ^ bcast has no tag: all ranks of its communicator do it together
}
