#include <stretto/mdmp.h>

void f(double *a, int n, int next) {
#pragma stretto transfer(a[0:n], next)
//              ^ there is no directive 'transfer': there are commregion, commregionfinished, send, recv, reduce and bcast
}
