#include <stretto/mdmp.h>

void f(int n) {
    while (n--) {
#pragma commregion
        if (n == 3) break;
//                  ^ break leaves the commregion of line 5 unfinished
#pragma commregionfinished
    }
}
