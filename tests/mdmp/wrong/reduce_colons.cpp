#include <stretto/mdmp.h>

int a;

void f() {
#pragma reduce(+::a)
//              ^ is one word: write a blank
}
