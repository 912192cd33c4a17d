#include <stretto/mdmp.h>

namespace halo {
void f() {}
#pragma commregion
//      ^ commregion stands outside of any function
} // namespace halo
#pragma commregionfinished
//      ^ commregionfinished stands outside of any function
