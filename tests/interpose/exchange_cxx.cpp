// The same program in C++.
#include "exchange.c"
