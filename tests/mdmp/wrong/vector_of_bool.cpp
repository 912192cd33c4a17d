#include <stretto/mdmp.h>
#include <vector>

void f(std::vector<bool> &a, int n, int next) {
#pragma send(a[0:n], next)
//           ^ taking the address of a temporary object
}
