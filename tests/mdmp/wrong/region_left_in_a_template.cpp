#include <stretto/mdmp.h>

template <typename Number>
void f(Number n) {
#pragma commregion
    if (n > 0) return;
//             ^ return leaves the commregion of line 5 unfinished
#pragma commregionfinished
}
void g() { f(1), f(2.0); }
