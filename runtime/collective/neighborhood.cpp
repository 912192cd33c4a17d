// MPI_Ineighbor_allgather(v), MPI_Ineighbor_alltoall(v, w) (MPI 4.1, 8.6 and 8.7).
#include "collective/collective.h"

#include <algorithm>
#include <map>

namespace stretto::collective::neighborhood {

using schedule::Memory;

namespace {

// The blocks from and to another rank, in the order of the lists: it may be a neighbor several times.
struct Edges {
    std::vector<Range> in, out;
};

// Their k-th parts. What goes one way keeps its order, so that one tag is enough.
bool exchange(schedule::Builder &build, const Arguments &call, int other, const Edges &edges, std::size_t k) {
    const auto part = [&](Range block) { return Cut(call, block.bytes()).slice(block, k); };
    bool some = false;
    build.lane(k);
    for (const Range &block : edges.in)
        if (const Range theirs = part(block); !theirs.empty()) {
            build.receive({Memory::output, theirs.begin}, theirs.bytes(), other);
            some = true;
        }
    for (const Range &block : edges.out)
        if (const Range mine = part(block); !mine.empty()) {
            build.send({Memory::input, mine.begin}, mine.bytes(), other);
            some = true;
        }
    return some;
}

} // namespace

// Along each edge, all at once. A lane has what two ranks send each other. All ranks take the others in ascending order, which puts the pairs
// into one order for all.
schedule::Schedule linear(const Arguments &call) {
    schedule::Builder build;
    std::map<int, Edges> with;
    for (std::size_t i = 0; i < call.sources.size(); i++)
        with[call.sources[i]].in.push_back(call.from[static_cast<int>(i)]);
    for (std::size_t i = 0; i < call.destinations.size(); i++)
        with[call.destinations[i]].out.push_back(call.to[static_cast<int>(i)]);
    bool some = true;
    for (std::size_t k = 0; some; k++) {
        some = false;
        for (const auto &[other, edges] : with)
            if (other != call.rank) some = exchange(build, call, other, edges, k) || some;
    }
    const Edges &own = with[call.rank];
    build.lane(0);
    for (std::size_t i = 0; i < std::min(own.in.size(), own.out.size()); i++)
        build.copy({Memory::input, own.out[i].begin}, {Memory::output, own.in[i].begin}, own.out[i].bytes());
    return build.finish();
}

} // namespace stretto::collective::neighborhood
