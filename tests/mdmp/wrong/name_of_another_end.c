#include <stretto/mdmp.h>

void f(void) {
#pragma commregion
#pragma endcommregion
//      ^ there is no directive 'endcommregion': did you mean 'commregionfinished'?
}
