#include <stretto/mdmp.h>

struct cell { double p; };
void f(struct cell **cells, int n, int next) {
#pragma send(cells[0:n]->p, next)
//                     ^ '->' behind a range leads anywhere in memory
}
