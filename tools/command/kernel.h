// What this kernel lets an ordinary process do, found by trying, and the limits that Stretto meets.
#pragma once
#include <string>
#include <vector>

namespace stretto::command {

struct Feature {
    std::string name;
    std::string used_for;
    bool there;
    std::string why_not; // empty where it is there
};
std::vector<Feature> kernel_features();

struct Limit {
    std::string name, value, meaning;
};
std::vector<Limit> limits();

std::string kernel_release();

} // namespace stretto::command
