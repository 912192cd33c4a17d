// Other programs, started and waited for.
#pragma once
#include <filesystem>
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

// Runs a command on this one's own input and output. Returns its exit status, or 128 + signal. Throws Failure likewise.
int run_and_wait(const std::vector<std::string> &words);

// The program of this name in $PATH, or empty.
std::filesystem::path on_path(const std::string &name);
bool is_executable(const std::filesystem::path &path);

} // namespace stretto::command
