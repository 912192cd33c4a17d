#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma recv
//          ^ recv says nothing: write recv(section, partner)
}
