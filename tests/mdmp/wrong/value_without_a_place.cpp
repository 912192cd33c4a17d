// -Wno-address-of-temporary
#include <stretto/mdmp.h>

struct cell { double p; };
cell middle();
void f(int next) {
#pragma send(middle(), next)
//           ^ this is a value without a place in memory: write a variable
}
