#include <stretto/mdmp.h>
#include <array>

void f(std::array<double, 3> *a, int n) {
#pragma reduce(+: a[0:n])
//                ^ a reduction is of numbers, and the elements are
}
