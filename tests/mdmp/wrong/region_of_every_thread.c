// -fopenmp
#include <stretto/mdmp.h>

void f(int n) {
#pragma omp parallel
    {
#pragma commregion
//      ^ commregion: every thread does it here: write comm(...), one of each thread
#pragma commregionfinished
    }
}
