/* In C++. */
#include "jacobi.h"
