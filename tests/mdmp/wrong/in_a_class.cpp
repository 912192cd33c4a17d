#include <stretto/mdmp.h>

struct grid {
    double cells[10];
#pragma send(cells[0:10], 1)
//      ^ send stands outside of any function
    void f() {
        cells[0] = 1;
    }
#pragma recv(cells[0:10], 1)
//      ^ recv stands outside of any function
};
