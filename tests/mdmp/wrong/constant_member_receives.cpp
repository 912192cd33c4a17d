#include <stretto/mdmp.h>

struct cell { const int number; double p; };
void f(cell *cells, int n, int next) {
#pragma recv(cells[0:n].number, next)
//           ^ 'cells[0:n].number' is const, and receives nothing
}
