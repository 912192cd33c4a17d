#include <stretto/mdmp.h>

void f(int n) {
    switch (n) {
    case 0:;
#pragma commregion
    case 1:
//  ^ a jump to here enters the commregion of line 6 behind its begin
        n = 0;
#pragma commregionfinished
    }
}
