/* In C. */
#include "paper.h"
