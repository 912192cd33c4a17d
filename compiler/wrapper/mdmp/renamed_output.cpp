#include "renamed_output.h"
#include "failure.h"
#include "process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using stretto::command::Failure;

namespace stretto::wrapper::mdmp {

namespace {

// One of the command's outputs: what comes there goes on to ours.
struct Stream {
    int ours, from = -1, to = -1;
    std::string line{}; // that has no end yet

    void open() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("no pipe: ") + std::strerror(errno));
        from = ends[0];
        to = ends[1];
    }

    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(ours, text.data(), text.size());
            if (written < 0 && errno != EINTR) return;
            if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    // False: it has ended.
    bool pass_on(const std::function<std::string(std::string)> &change) {
        char buffer[4096];
        const ssize_t got = read(from, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) return true;
        if (got > 0) line.append(buffer, static_cast<std::size_t>(got));
        const std::size_t end = got > 0 ? line.rfind('\n') + 1 : line.size();
        if (end > 0) write(change(line.substr(0, end)));
        line.erase(0, end);
        return got > 0;
    }
};

} // namespace

int run_renamed(const std::vector<std::string> &words, const std::function<std::string(std::string)> &change) {
    std::array<Stream, 2> streams = {Stream{STDOUT_FILENO}, Stream{STDERR_FILENO}};
    for (Stream &stream : streams) stream.open();
    const pid_t child = fork();
    if (child < 0) throw Failure(std::string("no process: ") + std::strerror(errno));
    if (child == 0) {
        for (const Stream &stream : streams) dup2(stream.to, stream.ours);
        try {
            command::become(words);
        } catch (const Failure &failure) {
            std::cerr << failure.what() << '\n';
            _exit(1);
        }
    }
    std::signal(SIGINT, SIG_IGN); // it ends the command, and we then remove what we made
    std::array<pollfd, 2> waiting{};
    for (std::size_t i = 0; i < streams.size(); i++) {
        close(streams[i].to);
        waiting[i] = {streams[i].from, POLLIN, 0};
    }
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
        for (std::size_t i = 0; i < streams.size(); i++)
            if (waiting[i].fd >= 0 && waiting[i].revents && !streams[i].pass_on(change)) waiting[i].fd = -1;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace stretto::wrapper::mdmp
