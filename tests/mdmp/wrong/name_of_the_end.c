#include <stretto/mdmp.h>

void f(void) {
#pragma commregion
#pragma commregionfinish
//      ^ there is no directive 'commregionfinish': did you mean 'commregionfinished'?
}
