#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma bcast(a[0:n], rot(0))
//                    ^ bcast: there is no clause 'rot': did you mean 'root'?
}
