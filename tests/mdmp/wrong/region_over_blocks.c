#include <stretto/mdmp.h>

void f(int n) {
#pragma commregion
    for (int i = 0; i < n; i++) {
#pragma commregionfinished
//      ^ commregionfinished stands in another block than the commregion of line 4: write both in the same block
    }
}
