#include <stretto/mdmp.h>

void f(void) {
#pragma commregion comm
//                 ^ comm needs a communicator: write comm(communicator)
#pragma commregionfinished
}
