#include <stretto/mdmp.h>

void f(void) {
#pragma commregion ()
//                 ^ '(' is no clause and no name
#pragma commregionfinished
}
