#include "process.h"
#include "failure.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace stretto::command {

static std::vector<char *> pointers(const std::vector<std::string> &words) {
    std::vector<char *> result;
    result.reserve(words.size() + 1);
    for (const std::string &word : words) result.push_back(const_cast<char *>(word.c_str()));
    result.push_back(nullptr);
    return result;
}

// Waits for a child's end; 128 + signal where one ended it.
static int status_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Output capture(const std::function<int()> &piece, int seconds) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("no pipe: ") + std::strerror(errno));
    const pid_t child = fork();
    if (child < 0) throw Failure(std::string("no process: ") + std::strerror(errno));
    if (child == 0) {
        setpgid(0, 0);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        _exit(piece());
    }
    close(ends[1]);

    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Output output{{}, -1};
    bool expired = false;
    for (char buffer[4096];;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd waiting{ends[0], POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
            expired = true;
            break;
        }
        const ssize_t got = read(ends[0], buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        output.text.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    if (expired) kill(-child, SIGKILL);
    const int status = status_of(child);
    kill(-child, SIGKILL); // what it started and left
    if (!expired) output.status = status;
    return output;
}

Output capture(const std::vector<std::string> &words, int seconds,
               const std::map<std::string, std::string> &environment) {
    return capture(
        [&] {
            for (const auto &[name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
            execvp(words[0].c_str(), pointers(words).data());
            return 127;
        },
        seconds);
}

void become(const std::vector<std::string> &words) {
    const bool by_path = words[0].find('/') != std::string::npos; // execvp gives what is no program to a shell
    (by_path ? execv : execvp)(words[0].c_str(), pointers(words).data());
    throw Failure(words[0] + ": cannot be started: " + std::strerror(errno));
}

int run_and_wait(const std::vector<std::string> &words) {
    const pid_t child = fork();
    if (child < 0) throw Failure(std::string("no process: ") + std::strerror(errno));
    if (child > 0) return status_of(child);
    try {
        become(words);
    } catch (const Failure &failure) {
        std::cerr << failure.what() << '\n';
        _exit(1);
    }
}

bool is_executable(const std::filesystem::path &path) {
    return std::filesystem::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::filesystem::path on_path(const std::string &name) {
    const char *variable = std::getenv("PATH");
    std::istringstream folders(variable ? variable : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (auto path = std::filesystem::path(folder.empty() ? "." : folder) / name; is_executable(path)) return path;
    return {};
}

} // namespace stretto::command
