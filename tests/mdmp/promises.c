/* In C. */
#include "promises.h"
