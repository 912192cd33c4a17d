#include <stretto/mdmp.h>

double a[10];
#pragma send(a[0:10], 1)
//      ^ send stands outside of any function
void f(void) {
}
#pragma commregion
//      ^ commregion stands outside of any function
