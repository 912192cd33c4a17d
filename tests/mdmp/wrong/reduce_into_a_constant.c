#include <stretto/mdmp.h>

void f(const double *a, int n) {
#pragma reduce(+: a[0:n])
//                ^ 'a[0:n]' is const, and its result would be written there: write a variable that is not
}
