#include <stretto/mdmp.h>

enum colour { red, green };

void f(enum colour *a, int n) {
#pragma reduce(max: a[0:n])
//                  ^ a reduction is of numbers, and the elements are 'enum colour'
}
