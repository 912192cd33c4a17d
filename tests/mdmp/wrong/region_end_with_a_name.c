#include <stretto/mdmp.h>

void f(void) {
#pragma commregion halo
#pragma commregionfinished halo
//                         ^ commregionfinished ends the innermost region and takes nothing: leave 'halo' out
}
