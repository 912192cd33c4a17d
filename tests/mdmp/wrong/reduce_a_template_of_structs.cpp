#include <stretto/mdmp.h>

struct pair {
    double x, y;
};

template <typename Element>
void f(Element *a, int n) {
#pragma reduce(+: a[0:n])
//                ^ a reduction is of numbers, and the elements are 'pair'
}
void g(pair *a, int n) { f(a, n); }
