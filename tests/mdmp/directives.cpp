/* In C++. */
#include "directives.h"
