#include <stretto/mdmp.h>

struct grid {
    double cells[10];
    void f(int next) const {
#pragma recv(cells[0:10], next)
//           ^ 'cells[0:10]' is const, and receives nothing
    }
};
