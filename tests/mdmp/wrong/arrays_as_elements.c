#include <stretto/mdmp.h>

void f(int n, int next, double (*a)[4][8]) {
#pragma recv(a[0:n], next)
//           ^ the elements are arrays, 'double[4][8]': write each dimension, a[0:n][:][:]
}
