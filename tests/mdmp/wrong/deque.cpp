#include <stretto/mdmp.h>
#include <deque>

void f(std::deque<double> &a, int n, int next) {
#pragma send(a[0:n], next)
//            ^ do not lie one behind another: send them one by one
}
