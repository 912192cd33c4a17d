#include "front/collectives/between_groups.h"

#include <numeric>
#include <utility>

namespace stretto::front::between_groups {

namespace {

std::vector<int> remote_group(const Asked &asked) {
    std::vector<int> all(static_cast<std::size_t>(asked.arguments.ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// Whom a rank has to do with that gives this root: all others of it, it of the root, and a rank beside the root of nobody. Nothing: no root.
std::optional<std::vector<int>> with(const Asked &asked, int root) {
    if (root == MPI_ROOT) return remote_group(asked);
    if (root == MPI_PROC_NULL) return std::vector<int>{};
    if (root < 0 || root >= asked.arguments.ranks) return {};
    return std::vector<int>{root};
}

} // namespace

bool can_be_ours(std::string_view collective) {
    return collective == "gather" || collective == "scatter" || collective == "allgather" || collective == "alltoall";
}

std::optional<int> gather_or_scatter(Asked &&asked, const void *sendbuf, const BlockOf &sent, void *recvbuf,
                                     const BlockOf &received, int root, Begins begins, MPI_Request *request) {
    auto others = with(asked, root);
    if (!others) return {};
    mpi::Neighbors neighbors;
    const bool gathers = asked.collective == std::string_view("gather"), gets = gathers == (root == MPI_ROOT);
    (gets ? neighbors.sources : neighbors.destinations) = std::move(*others);
    asked.collective = "neighbor_alltoall";
    return give_each(std::move(asked), neighbors, sendbuf, sent, recvbuf, received, begins, request);
}

std::optional<int> allgather(Asked &&asked, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const BlockOf &received, Begins begins, MPI_Request *request) {
    const std::vector<int> all = remote_group(asked);
    asked.collective = "neighbor_allgather";
    return give_one(std::move(asked), {all, all}, sendbuf, sendcount, sendtype, recvbuf, received, begins, request);
}

std::optional<int> alltoall(Asked &&asked, const void *sendbuf, const BlockOf &sent, void *recvbuf,
                            const BlockOf &received, Begins begins, MPI_Request *request) {
    const std::vector<int> all = remote_group(asked);
    asked.collective = "neighbor_alltoall";
    return give_each(std::move(asked), {all, all}, sendbuf, sent, recvbuf, received, begins, request);
}

} // namespace stretto::front::between_groups
