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

//! How a job of this user would notice, here, what a program writes and what it touches: tried, as in the job; forced where the
//! environment forces it.
struct PageChoice {
    std::string side, setting, mechanism, why; // why: not the best one
};
std::vector<PageChoice> page_choices();

struct Limit {
    std::string name, value, meaning;
};
std::vector<Limit> limits();

std::string kernel_release();

} // namespace stretto::command
