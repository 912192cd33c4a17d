// Runs a command, and changes what it says on the way.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace stretto::wrapper::mdmp {

// Line by line, of standard output and standard error. Returns its exit status, or 128 + signal. Throws Failure where it cannot begin.
int run_renamed(const std::vector<std::string> &words, const std::function<std::string(std::string)> &change);

} // namespace stretto::wrapper::mdmp
