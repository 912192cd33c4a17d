#include <stretto/mdmp.h>
#include <vector>

void f(std::vector<double> &a, int next) {
#pragma send(a[:], next)
//            ^ is no array, and its length is not known: write [lower:length]
}
