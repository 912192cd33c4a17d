#include "directives.h"
