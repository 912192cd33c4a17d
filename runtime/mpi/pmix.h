// What a process can publish through PMIx, the process manager interface that Open MPI uses (PMIx standard 3 to 5).
//
// Open MPI 5 must find PMIx uninitialized in MPI_Init, and PMIx survives no second initialization. So we start nothing: the MPI
// library's own call of PMIx_Commit, between its initialization of PMIx and its fence, comes to a PMIx_Commit of ours, which
// adds what is due and passes it on. (Its calls of PMIx_Put come too, to learn a key that every rank publishes.)
#pragma once

#include <optional>
#include <string>

namespace stretto::mpi {

class Pmix {
public:
    /// Have the coming MPI_Init publish this. Null, or why it will not.
    const char *publish(const std::string &key, const std::string &value);

    /// After MPI_Init: null, or why it was not published.
    const char *published() const;

    /// What that rank published before MPI_Init's fence.
    std::optional<std::string> look_up(unsigned rank, const std::string &key) const;

    /// As the launcher counts them. ranks() only once published; 0 when not known.
    unsigned rank() const;
    unsigned ranks() const;
};

} // namespace stretto::mpi
