void f(double *a, int n, int next) {
#pragma stretto recv(a[0:n], next)
//              ^ recv is a directive of MDMP: write #include <stretto/mdmp.h> before it
}
#include <stretto/mdmp.h>
