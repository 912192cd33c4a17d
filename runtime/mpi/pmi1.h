// What a process can publish through PMI-1, the process manager interface between MPICH and its launcher Hydra: lines of text
// over an inherited socket, a question and an answer each. The MPI library uses the same socket, so we may only while it does not:
// before MPI_Init, and after it while no other thread calls MPI.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto::mpi {

class Pmi1 {
public:
    /// Null, or why there is no connection.
    const char *connect();
    const char *publish(const std::string &key, const std::string &value);

    /// What any process published under this key before a barrier of all (MPI_Init has at least one where there are several nodes).
    std::optional<std::string> look_up(const std::string &key);

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

private:
    /// The answer to one line, without its newline; empty where the launcher does not answer.
    std::string ask(const std::string &question);

    int socket_ = -1;
    int rank_ = -1;
    int ranks_ = 0;
    std::string name_space_;
};

} // namespace stretto::mpi
