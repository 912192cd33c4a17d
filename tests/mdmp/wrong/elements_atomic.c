#include <stretto/mdmp.h>

void f(_Atomic int *a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ '_Atomic(int)' is atomic: copy it to a variable that is not
}
