#include <stretto/mdmp.h>

void f(void) {
#pragma commregion
#pragma commregionfinished
#pragma commregionfinished
//      ^ commregionfinished ends no region: write #pragma commregion before it, in the same block
}
