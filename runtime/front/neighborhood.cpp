// MPI_Ineighbor_<collective> and MPI_Neighbor_<collective>_init (MPI 4.1, 8.7 and 8.8): what each asks for. No rank knows how much those send
// that are no neighbors of its own, and all must decide alike: so the size decides nothing.
#include "front/collective.h"
#include "front/handled.h"
#include "mpi/topology.h"

#include <utility>

namespace stretto::front {

namespace {

using collective::Blocks;

// What a neighbor gets, or gives: so many bytes behind the buffer's address.
struct Block {
    std::ptrdiff_t offset = 0;
    MPI_Count count = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

// What the library has to refuse.
bool unsound(const Block &block) {
    return block.count < 0 || block.type == MPI_DATATYPE_NULL;
}

std::ptrdiff_t extent_of(MPI_Datatype type) {
    return type == MPI_DATATYPE_NULL ? 0 : mpi::type_map(type).extent();
}

// By the neighbor's place in the list. One behind the other, of as many elements.
auto equal(MPI_Count count, MPI_Datatype type) {
    const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(count) * extent_of(type);
    return [=](int k) { return Block{k * bytes, count, type}; };
}

// Displaced by so many extents.
auto displaced(Integers counts, Integers displacements, MPI_Datatype type) {
    const std::ptrdiff_t extent = extent_of(type);
    return [=](int k) {
        if (!counts || !displacements) return Block{};
        return Block{static_cast<std::ptrdiff_t>(displacements[k]) * extent, counts[k], type};
    };
}

// Displaced by so many bytes, and each of a type of its own.
auto typed(Integers counts, const MPI_Aint displacements[], const MPI_Datatype types[]) {
    return [=](int k) {
        if (!counts || !displacements || !types) return Block{};
        return Block{displacements[k], counts[k], types[k]};
    };
}

const mpi::Neighbors *neighbors_on(mpi::Communicator &communicator) {
    const progress::Guard guard;
    return mpi::neighbors(communicator);
}

// A block for each neighbor; nobody's is empty. False: the library has to refuse one.
template <class BlockOf>
bool lay_out(Side &side, const void *address, const std::vector<int> &neighbors, BlockOf block_of) {
    for (std::size_t k = 0; k < neighbors.size(); k++) {
        const Block block = block_of(static_cast<int>(k));
        if (unsound(block)) return false;
        side.add(reinterpret_cast<const void *>(reinterpret_cast<std::intptr_t>(address) + block.offset),
                 neighbors[k] == MPI_PROC_NULL ? 0 : block.count, block.type);
    }
    side.lay_out();
    return true;
}

// The same block for each neighbor.
Blocks to_all(const std::vector<int> &neighbors, std::size_t bytes) {
    std::vector<Range> blocks;
    for (const int neighbor : neighbors) blocks.push_back({0, neighbor == MPI_PROC_NULL ? 0 : bytes});
    return Blocks::of(std::move(blocks));
}

// What is sent is laid out.
template <class BlockOf>
std::optional<int> begin(Asked &&asked, const mpi::Neighbors &neighbors, void *recvbuf, BlockOf received, Begins begins,
                         MPI_Request *request) {
    if (recvbuf == MPI_IN_PLACE || !lay_out(asked.output, recvbuf, neighbors.sources, received)) return {};
    asked.arguments.from = asked.output.ranges();
    asked.arguments.varies = true;
    asked.arguments.sources = neighbors.sources;
    asked.arguments.destinations = neighbors.destinations;
    return begin(std::move(asked), begins, request);
}

template <class BlockOf>
std::optional<int> allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                             BlockOf received, MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "neighbor_allgather", begins);
    if (!asked || sendbuf == MPI_IN_PLACE || unsound({0, sendcount, sendtype})) return {};
    const mpi::Neighbors *neighbors = neighbors_on(*asked->communicator);
    if (!neighbors) return {};
    asked->input.add(sendbuf, sendcount, sendtype);
    asked->input.lay_out();
    asked->arguments.to = to_all(neighbors->destinations, asked->input.bytes());
    return begin(std::move(*asked), *neighbors, recvbuf, received, begins, request);
}

template <class SentBlockOf, class BlockOf>
std::optional<int> alltoall(const void *sendbuf, SentBlockOf sent, void *recvbuf, BlockOf received, MPI_Comm comm,
                            Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "neighbor_alltoall", begins);
    if (!asked || sendbuf == MPI_IN_PLACE) return {};
    const mpi::Neighbors *neighbors = neighbors_on(*asked->communicator);
    if (!neighbors || !neighbors->in_order || !lay_out(asked->input, sendbuf, neighbors->destinations, sent)) return {};
    asked->arguments.to = asked->input.ranges();
    return begin(std::move(*asked), *neighbors, recvbuf, received, begins, request);
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
