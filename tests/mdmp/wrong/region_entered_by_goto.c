#include <stretto/mdmp.h>

void f(int n) {
    if (n) goto in;
//         ^ goto enters the commregion of line 6 behind its begin
#pragma commregion
in:
    n = 0;
#pragma commregionfinished
}
