// Other programs, started and waited for.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace stretto::command {

struct Output {
    std::string text; // what it wrote to standard output and standard error
    int status;       // its exit status, 128 + signal, or -1 where its time was over
};

// Runs a command and returns what it wrote. With its time over, its whole process group is killed.
Output capture(const std::vector<std::string> &words, int seconds,
               const std::map<std::string, std::string> &environment = {});

// The same for a piece of this program, in a process of its own: what it breaks breaks there.
Output capture(const std::function<int()> &piece, int seconds);

// Becomes another program. Throws Failure where that cannot be started.
[[noreturn]] void become(const std::vector<std::string> &words);

} // namespace stretto::command
