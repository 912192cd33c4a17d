#include <stretto/mdmp.h>
#include <string>

void f(std::string *a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ is not trivially copyable
}
