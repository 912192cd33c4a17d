#include <stretto/mdmp.h>

void f(void) {
#pragma stretto
//             ^ a directive is missing behind '#pragma stretto'
}
