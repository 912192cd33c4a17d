#include <stretto/mdmp.h>

void f(double _Complex *a, int n) {
#pragma reduce(max: a[0:n])
//                  ^ and max is of integers and floating-point numbers
}
