#include <stretto/mdmp.h>

void f(int n) {
#pragma commregion
    if (n) goto out;
//         ^ goto leaves the commregion of line 4 unfinished
#pragma commregionfinished
out:
    return;
}
