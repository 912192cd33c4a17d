#include "front/calls/exchange.h"

#include "mpi/committed.h"

#include <utility>

namespace stretto::front {

namespace {

using collective::Blocks;

// What the library has to refuse.
bool unsound(const Block &block) {
    if (block.count <= 0) return block.count < 0;
    return block.type == MPI_DATATYPE_NULL || !mpi::is_committed(block.type);
}

Block block(MPI_Count place, MPI_Count count, MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) return {0, count, type};
    return {static_cast<std::ptrdiff_t>(place) * mpi::type_map(type).extent(), count, type};
}

// A block for each of the list; nobody's is empty. False: the library has to refuse one.
bool lay_out(Side &side, const void *address, const std::vector<int> &list, const BlockOf &block_of) {
    if (address == MPI_IN_PLACE && !list.empty()) return false;
    for (std::size_t k = 0; k < list.size(); k++) {
        const Block block = block_of(static_cast<int>(k));
        if (unsound(block)) return false;
        side.add(reinterpret_cast<const void *>(reinterpret_cast<std::intptr_t>(address) + block.offset),
                 list[k] == MPI_PROC_NULL ? 0 : block.count, block.type);
    }
    side.lay_out();
    return true;
}

// The same block for each.
Blocks to_all(const std::vector<int> &list, std::size_t bytes) {
    std::vector<Range> blocks;
    blocks.reserve(list.size());
    for (const int one : list) blocks.push_back({0, one == MPI_PROC_NULL ? 0 : bytes});
    return Blocks::of(std::move(blocks));
}

// What is given is laid out.
std::optional<int> begin(Asked &&asked, const mpi::Neighbors &with, void *recvbuf, const BlockOf &received,
                         Begins begins, MPI_Request *request) {
    if (!lay_out(asked.output, recvbuf, with.sources, received)) return {};
    asked.arguments.from = asked.output.ranges();
    asked.arguments.varies = true;
    asked.arguments.sources = with.sources;
    asked.arguments.destinations = with.destinations;
    return begin(std::move(asked), begins, request);
}

} // namespace

BlockOf equal(MPI_Count count, MPI_Datatype type) {
    return [=](int k) { return block(k * count, count, type); };
}

BlockOf displaced(Integers counts, Integers displacements, MPI_Datatype type) {
    return [=](int k) { return counts && displacements ? block(displacements[k], counts[k], type) : Block{}; };
}

BlockOf typed(Integers counts, Integers displacements, const MPI_Datatype types[]) {
    return [=](int k) {
        if (!counts || !displacements || !types) return Block{};
        return Block{static_cast<std::ptrdiff_t>(displacements[k]), counts[k], types[k]};
    };
}

std::optional<int> give_one(Asked &&asked, const mpi::Neighbors &with, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, const BlockOf &received, Begins begins,
                            MPI_Request *request) {
    if (sendbuf == MPI_IN_PLACE || unsound({0, sendcount, sendtype})) return {};
    asked.input.add(sendbuf, sendcount, sendtype);
    asked.input.lay_out();
    asked.arguments.to = to_all(with.destinations, asked.input.bytes());
    return begin(std::move(asked), with, recvbuf, received, begins, request);
}

std::optional<int> give_each(Asked &&asked, const mpi::Neighbors &with, const void *sendbuf, const BlockOf &sent,
                             void *recvbuf, const BlockOf &received, Begins begins, MPI_Request *request) {
    if (!lay_out(asked.input, sendbuf, with.destinations, sent)) return {};
    asked.arguments.to = asked.input.ranges();
    return begin(std::move(asked), with, recvbuf, received, begins, request);
}

} // namespace stretto::front
