// "Did you mean …?"
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace stretto {

// The candidate that is fewest edits away from what was typed, or empty where none is near.
std::string_view nearest(std::string_view typed, const std::vector<std::string> &candidates);

} // namespace stretto
