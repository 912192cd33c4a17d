#include <stretto/mdmp.h>

void f(__int128 *a, int n) {
#pragma reduce(+: a[0:n])
//                ^ for which MPI has no type
}
