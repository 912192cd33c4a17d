#pragma once
#include "settings/settings.h"

#include <algorithm>
#include <cstddef>

//! \brief What left from copies, so that a call could return before the library was done with it: how many bytes of it there are still.
//! Under the lock. STRETTO_BUDGET bounds them; under STRETTO_FORCE that is 0, and copies are made all the same.
namespace stretto::message::copied {

inline std::size_t held = 0;
inline constexpr std::size_t least = 1 << 20;

inline bool has_room(std::size_t bytes) {
    return held + bytes <= std::max(settings.budget, least);
}

} // namespace stretto::message::copied
