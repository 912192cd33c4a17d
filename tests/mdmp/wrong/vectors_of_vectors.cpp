#include <stretto/mdmp.h>
#include <vector>

void f(std::vector<std::vector<double>> &a, int n, int next) {
#pragma send(a[0:n][1], next)
//            ^ lie elsewhere in memory than the object itself
}
