#include <stretto/mdmp.h>

void f(double *a, int n) {
#pragma reduce(+:)
//               ^ reduce has no section: write reduce(+: section) or reduce(+: element, count)
}
