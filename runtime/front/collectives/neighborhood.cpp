// MPI_Ineighbor_<collective> and MPI_Neighbor_<collective>_init (MPI 4.1, 8.7 and 8.8): what each asks for.
#include "front/calls/exchange.h"

#include <utility>

namespace stretto::front {

namespace {

const mpi::Neighbors *neighbors_on(mpi::Communicator &communicator) {
    const progress::Guard guard;
    return mpi::neighbors(communicator);
}

std::optional<int> allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const BlockOf &received, MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "neighbor_allgather", begins);
    const mpi::Neighbors *neighbors = asked ? neighbors_on(*asked->communicator) : nullptr;
    if (!neighbors) return {};
    return give_one(std::move(*asked), *neighbors, sendbuf, sendcount, sendtype, recvbuf, received, begins, request);
}

std::optional<int> alltoall(const void *sendbuf, const BlockOf &sent, void *recvbuf, const BlockOf &received,
                            MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "neighbor_alltoall", begins);
    const mpi::Neighbors *neighbors = asked ? neighbors_on(*asked->communicator) : nullptr;
    if (!neighbors || !neighbors->in_order) return {};
    return give_each(std::move(*asked), *neighbors, sendbuf, sent, recvbuf, received, begins, request);
}

} // namespace

std::optional<int> Ineighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Begins begins,
                                       MPI_Request *request) {
    return allgather(sendbuf, sendcount, sendtype, recvbuf, equal(recvcount, recvtype), comm, begins, request);
}

std::optional<int> Ineighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                                        Integers recvcounts, Integers displs, MPI_Datatype recvtype, MPI_Comm comm,
                                        Begins begins, MPI_Request *request) {
    return allgather(sendbuf, sendcount, sendtype, recvbuf, displaced(recvcounts, displs, recvtype), comm, begins,
                     request);
}

std::optional<int> Ineighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Begins begins,
                                      MPI_Request *request) {
    return alltoall(sendbuf, equal(sendcount, sendtype), recvbuf, equal(recvcount, recvtype), comm, begins, request);
}

std::optional<int> Ineighbor_alltoallv(const void *sendbuf, Integers sendcounts, Integers sdispls,
                                       MPI_Datatype sendtype, void *recvbuf, Integers recvcounts, Integers rdispls,
                                       MPI_Datatype recvtype, MPI_Comm comm, Begins begins, MPI_Request *request) {
    return alltoall(sendbuf, displaced(sendcounts, sdispls, sendtype), recvbuf,
                    displaced(recvcounts, rdispls, recvtype), comm, begins, request);
}

std::optional<int> Ineighbor_alltoallw(const void *sendbuf, Integers sendcounts, const MPI_Aint sdispls[],
                                       const MPI_Datatype sendtypes[], void *recvbuf, Integers recvcounts,
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                       Begins begins, MPI_Request *request) {
    return alltoall(sendbuf, typed(sendcounts, sdispls, sendtypes), recvbuf, typed(recvcounts, rdispls, recvtypes),
                    comm, begins, request);
}

} // namespace stretto::front
