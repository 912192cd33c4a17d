#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma commregion
//      ^ commregion is not finished in its block: write #pragma commregionfinished before the block's '}'
#pragma send(a[0:n], next)
}
