#include <stretto/mdmp.h>
#include <complex>

void f(std::complex<double> *a, int n) {
#pragma reduce(max: a[0:n])
//                  ^ and max is of integers and floating-point numbers
}
