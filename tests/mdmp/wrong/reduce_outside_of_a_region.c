#include <stretto/mdmp.h>

int main(void) {
    double a[10] = {0};
#pragma reduce(+: a[0:10])
//      ^ reduce stands in no region: write #pragma commregion before it
}
