#include <stretto/mdmp.h>

void f(void) {
#pragma commregion halo edges
//                      ^ commregion has one name, 'halo' already: leave 'edges' out
}
