#include <stretto/mdmp.h>

void f(_Bool yes) {
#pragma reduce(+: yes)
//                ^ and + is of numbers: write && or ||
}
