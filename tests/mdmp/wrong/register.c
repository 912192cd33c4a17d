#include <stretto/mdmp.h>

void f(int next) {
    register int x = 0;
#pragma send(x, next)
//           ^ address of register variable requested
}
