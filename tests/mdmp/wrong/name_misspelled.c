#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma comregion
//      ^ there is no directive 'comregion': did you mean 'commregion'?
#pragma commregionfinished
}
