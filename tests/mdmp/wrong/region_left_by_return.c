#include <stretto/mdmp.h>

void f(int n) {
#pragma commregion
    if (n) return;
//         ^ return leaves the commregion of line 4 unfinished
#pragma commregionfinished
}
