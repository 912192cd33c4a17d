// The environment variables that libstretto reads.
#pragma once
#include <string>
#include <vector>

namespace stretto::command {

struct Setting {
    std::string name, default_value, meaning;
};
const std::vector<Setting> &settings();

} // namespace stretto::command
