#include <stretto/mdmp.h>

void f(float **rows, int n, int next) {
#pragma send(rows[0:n][1], next)
//               ^ 'float *' is a pointer: what lies behind those of a range does not lie at one distance
}
