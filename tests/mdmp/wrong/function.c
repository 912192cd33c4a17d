#include <stretto/mdmp.h>

void f(int next) {
#pragma send(f, next)
//           ^ this is a function: a section is a variable
}
