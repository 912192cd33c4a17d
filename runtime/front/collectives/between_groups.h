// Collectives of an inter-communicator that are ours: those that move data, and add nothing up (MPI 4.1, 6.2.3). The remote group's ranks are
// a rank's neighbors, or of them the root.
#pragma once
#include "front/calls/exchange.h"

#include <string_view>

namespace stretto::front::between_groups {

//! May this one be ours (Asked::collective)?
bool can_be_ours(std::string_view collective);

//! MPI_Igather(v), to the rank that gives MPI_ROOT from all of the remote group, or MPI_Iscatter(v), from it to them.
std::optional<int> gather_or_scatter(Asked &&asked, const void *sendbuf, const BlockOf &sent, void *recvbuf,
                                     const BlockOf &received, int root, Begins begins, MPI_Request *request);

//! MPI_Iallgather(v).
std::optional<int> allgather(Asked &&asked, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const BlockOf &received, Begins begins, MPI_Request *request);

//! MPI_Ialltoall(v, w).
std::optional<int> alltoall(Asked &&asked, const void *sendbuf, const BlockOf &sent, void *recvbuf,
                            const BlockOf &received, Begins begins, MPI_Request *request);

} // namespace stretto::front::between_groups
