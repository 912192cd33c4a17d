#include <stretto/mdmp.h>

void f(void) {
#pragma commregion tag(3)
//                 ^ commregion has no tag
#pragma commregionfinished
}
