#include <stretto/mdmp.h>

void f(int n, int next) {
#pragma send(old[0:n][1], next)
//           ^ use of undeclared identifier 'old'
}
