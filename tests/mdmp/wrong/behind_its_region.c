#include <stretto/mdmp.h>

int main(void) {
    double a[10] = {0};
#pragma commregion
#pragma send(a[0:10], none)
#pragma commregionfinished
#pragma recv(a[0:10], none)
//      ^ recv stands in no region
}
