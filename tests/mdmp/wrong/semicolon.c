#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send(a[0:n], next);
//                        ^ a directive ends with its line: leave ';' out
}
