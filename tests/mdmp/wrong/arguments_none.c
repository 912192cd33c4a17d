#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma send()
//           ^ send says nothing: write send(section, partner) or send(element, count, partner)
}
