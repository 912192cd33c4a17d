/* Exchanges of ranges in loops that fill and read them: what leaves and lands early has the bits of what does not. */
#include "ranges.h"
