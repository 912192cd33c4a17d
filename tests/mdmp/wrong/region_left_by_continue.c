#include <stretto/mdmp.h>

void f(int n) {
    for (int i = 0; i < n; i++) {
#pragma commregion
        switch (i) {
        case 1: continue;
//              ^ continue leaves the commregion of line 5 unfinished
        default: break;
        }
#pragma commregionfinished
    }
}
