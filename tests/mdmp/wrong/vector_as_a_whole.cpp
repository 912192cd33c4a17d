#include <stretto/mdmp.h>
#include <vector>

void f(std::vector<double> &a, int next) {
#pragma send(a, next)
//           ^ is not trivially copyable, and its bytes alone are not its value: write a[0:length] for its elements
}
