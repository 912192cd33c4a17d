#include <stretto/mdmp.h>

template <typename Element>
void f(Element *a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ the elements are pointers, 'char *'
}
void g(char **a, int n) { f(a, n, 1); }
