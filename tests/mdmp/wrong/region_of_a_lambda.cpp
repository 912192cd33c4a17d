#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma commregion
    auto move = [&] {
#pragma send(a[0:n], next)
#pragma commregionfinished
//      ^ commregionfinished ends no region: write #pragma commregion before it, in the same block
    };
    move();
#pragma commregionfinished
}
