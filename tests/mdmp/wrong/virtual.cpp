#include <stretto/mdmp.h>

struct shape { double x; virtual double area(); };
void f(shape *a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ 'shape' is not trivially copyable, and its bytes alone are not its value: send its members
}
