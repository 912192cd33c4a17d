#include <stretto/mdmp.h>

void f(double (*a)[8], int n, int next) {
#pragma send(a[0:n, 0:n], next)
//            ^ each dimension has its own brackets: write [lower:length][lower:length]
}
