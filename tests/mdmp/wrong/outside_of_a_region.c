#include <stretto/mdmp.h>

int main(void) {
    double a[10] = {0};
#pragma send(a[0:10], none)
//      ^ send stands in no region: write #pragma commregion before it
}
