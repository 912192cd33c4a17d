// MPI_Reduce_scatter(_block), MPI_Ireduce_scatter(_block) (MPI 4.1, 6.10, 6.12.9).
#include "collective/collective.h"

namespace stretto::collective::reduce_scatter {

using schedule::Memory;
using schedule::Place;

// Each block goes round once, from the rank behind its owner to its owner, and is added up on its way.
schedule::Schedule ring(const Arguments &call) {
    schedule::Builder build;
    const std::size_t most = call.to.largest(call.ranks), own = call.to[call.rank].begin;
    const Cut cut(call, most);
    const std::size_t end = call.to[call.ranks - 1].end;
    const Place room = call.ranks > 2 ? build.scratch(end) : Place{};
    const auto sum = [&](int block, Range part) {
        return block == call.rank ? Place{Memory::output, part.begin - own} : room + part.begin;
    };
    for (std::size_t k = 0; k < cut.lanes(most); k++) {
        build.lane(k);
        if (call.ranks == 1) {
            const Range all = cut.slice(call.to[0], k);
            build.copy({Memory::input, all.begin}, sum(0, all), all.bytes());
        }
        for (int hop = 0; hop + 1 < call.ranks; hop++) {
            const int coming = call.after(-hop - 2), leaving = call.after(-hop - 1);
            const Range in = cut.slice(call.to[coming], k), out = cut.slice(call.to[leaving], k);
            if (!in.empty()) build.receive(sum(coming, in), in.bytes(), call.after(-1));
            if (!out.empty())
                build.send(hop == 0 ? Place{Memory::input, out.begin} : sum(leaving, out), out.bytes(), call.after(1));
            build.round();
            if (!in.empty()) build.reduce({Memory::input, in.begin}, sum(coming, in), in.bytes());
        }
    }
    return build.finish();
}

// Where the operation does not commute: each block from the last rank to the first, added up on its way, and to its owner.
schedule::Schedule in_order(const Arguments &call) {
    schedule::Builder build;
    const std::size_t end = call.to[call.ranks - 1].end;
    const Place room = build.scratch(end);
    const Cut cut(call, call.to.largest(call.ranks), schedule::most_tags / static_cast<std::size_t>(call.ranks));
    std::size_t lane = 0;
    for (int owner = 0; owner < call.ranks; owner++)
        for (std::size_t k = 0; k < cut.lanes(call.to[owner].bytes()); k++) {
            const Range part = cut.slice(call.to[owner], k);
            Place sum{Memory::input, part.begin};
            build.lane(lane++);
            if (call.rank + 1 < call.ranks) {
                build.receive(room + part.begin, part.bytes(), call.rank + 1);
                build.round();
                build.reduce(sum, room + part.begin, part.bytes());
                sum = room + part.begin;
            }
            if (call.rank > 0) build.send(sum, part.bytes(), call.rank - 1);
            const Place result{Memory::output, part.begin - call.to[owner].begin};
            if (call.rank == 0 && owner == 0) build.copy(sum, result, part.bytes());
            if (call.rank == 0 && owner != 0) build.send(sum, part.bytes(), owner);
            build.round();
            if (call.rank == owner && owner != 0) build.receive(result, part.bytes(), 0);
        }
    return build.finish();
}

} // namespace stretto::collective::reduce_scatter
