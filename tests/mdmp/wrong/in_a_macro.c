#include <stretto/mdmp.h>

#define SEND(a, n, to) _Pragma("send(a[0:n], to) tag(3)")
void f(double *b, int m, int next) {
    SEND(b, m, next)
//  ^ clauses stand inside the brackets
}
