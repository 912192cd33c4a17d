#include <stretto/mdmp.h>

void f(void) {
#pragma commregion com(MPI_COMM_WORLD)
//                 ^ there is no clause 'com': did you mean 'comm'?
#pragma commregionfinished
}
