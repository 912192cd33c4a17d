#include <stretto/mdmp.h>

struct pair {
    double x, y;
};

void f(struct pair *a, int n) {
#pragma reduce(+: a[0:n])
//                ^ a reduction is of numbers, and the elements are 'struct pair': reduce its members one by one
}
