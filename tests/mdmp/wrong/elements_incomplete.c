#include <stretto/mdmp.h>

struct cell;
void f(struct cell *a, int n, int next) {
#pragma send(a[0:n], next)
//            ^ subscript of pointer to incomplete type 'struct cell'
}
