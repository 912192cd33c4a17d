#include <stretto/mdmp.h>

struct flags { unsigned low : 4, high : 4; };
void f(struct flags *a, int next) {
#pragma send(a->low, next)
//           ^ address of bit-field requested
}
