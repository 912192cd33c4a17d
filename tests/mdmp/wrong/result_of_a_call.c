#include <stretto/mdmp.h>

int g(int n);
void f(int next) {
#pragma send(g(3), next)
//           ^ cannot take the address of an rvalue of type 'int'
}
