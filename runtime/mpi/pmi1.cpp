#include "mpi/pmi1.h"

#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

namespace stretto::mpi {

namespace {

constexpr int answer_milliseconds = 10'000;

/// The value of ` name=value` in an answer.
std::string field(const std::string &answer, std::string_view name) {
    std::string start = " " + std::string(name) + "=";
    std::size_t found = answer.find(start);
    if (found == std::string::npos) return {};
    found += start.size();
    return answer.substr(found, answer.find(' ', found) - found);
}

int number(const char *name) {
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : -1;
}

} // namespace

const char *Pmi1::connect() {
    socket_ = number("PMI_FD");
    rank_ = number("PMI_RANK");
    ranks_ = number("PMI_SIZE");
    // Slurm sets PMI_FD too, and speaks PMI-2 over it.
    if (socket_ < 0 || rank_ < 0 || ranks_ <= 0 || std::getenv("PMI_JOBID"))
        return "the program was not started by MPICH's launcher Hydra";
    // Hydra 4.0 forgets what was put before the first init that it sees; a second one, MPI's own, does no harm.
    std::string init = ask("cmd=init pmi_version=1 pmi_subversion=1");
    if (field(init, "rc") != "0" || field(init, "pmi_version") != "1") return "the launcher does not speak PMI-1";
    name_space_ = field(ask("cmd=get_my_kvsname"), "kvsname");
    return name_space_.empty() ? "the launcher names no PMI-1 key space" : nullptr;
}

const char *Pmi1::publish(const std::string &key, const std::string &value) {
    std::string answer = ask("cmd=put kvsname=" + name_space_ + " key=" + key + " value=" + value);
    return field(answer, "rc") == "0" ? nullptr : "the launcher did not take the card";
}

std::optional<std::string> Pmi1::look_up(const std::string &key) {
    std::string answer = ask("cmd=get kvsname=" + name_space_ + " key=" + key);
    return field(answer, "rc") == "0" ? std::optional(field(answer, "value")) : std::nullopt;
}

std::string Pmi1::ask(const std::string &question) {
    if (socket_ < 0) return {};
    std::string line = question + "\n";
    for (std::size_t written = 0; written < line.size();) {
        ssize_t n = write(socket_, line.data() + written, line.size() - written);
        if (n > 0)
            written += static_cast<std::size_t>(n);
        else if (errno != EINTR && errno != EAGAIN)
            return {};
    }
    // Byte by byte, since what comes after the newline would be MPI's.
    std::string answer;
    for (;;) {
        pollfd readable{socket_, POLLIN, 0};
        int ready = poll(&readable, 1, answer_milliseconds);
        if (ready < 0 && errno == EINTR) continue;
        char byte;
        ssize_t n = ready > 0 ? read(socket_, &byte, 1) : 0;
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) {
            socket_ = -1;
            return {};
        }
        if (byte == '\n') return answer;
        answer += byte;
    }
}

} // namespace stretto::mpi
