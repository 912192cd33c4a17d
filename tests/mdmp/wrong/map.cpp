#include <stretto/mdmp.h>
#include <map>

void f(std::map<int, double> &a, int n, int next) {
#pragma send(a[0:n], next)
//            ^ do not lie one behind another
}
