// MPI_Allgather(v), MPI_Iallgather(v) (MPI 4.1, 6.7, 6.12.5).
#include "collective/collective.h"

#include <algorithm>

namespace stretto::collective::allgather {

using schedule::Memory;
using schedule::Place;

namespace {

// Where this rank's own block is.
Place own(const Arguments &call) {
    return call.in_place ? Place{Memory::output, call.from[call.rank].begin} : Place{Memory::input, 0};
}

void copy_own(schedule::Builder &build, const Arguments &call) {
    build.lane(0);
    build.copy(own(call), {Memory::output, call.from[call.rank].begin}, call.from[call.rank].bytes());
}

} // namespace

// Each rank to each other one: nobody waits for a third rank. The first lanes are those of ranks that are next to each other, in a circle.
schedule::Schedule linear(const Arguments &call) {
    schedule::Builder build;
    const std::size_t bytes = call.from[call.rank].bytes();
    in_turns(call.ranks, [&](int distance, std::size_t k) {
        const int source = call.after(-distance);
        const Range block = call.from[source];
        const Range theirs = Cut(call, block.bytes()).slice(block, k), mine = Cut(call, bytes).slice({0, bytes}, k);
        build.lane(k);
        if (!theirs.empty()) build.receive({Memory::output, theirs.begin}, theirs.bytes(), source);
        if (!mine.empty()) build.send(own(call) + mine.begin, mine.bytes(), call.after(distance));
        return !theirs.empty() || !mine.empty();
    });
    copy_own(build, call);
    return build.finish();
}

// Each rank passes on to the next what it got from the one before: every link carries each block once.
schedule::Schedule ring(const Arguments &call) {
    schedule::Builder build;
    const std::size_t most = call.from.largest(call.ranks);
    const Cut cut(call, most);
    for (std::size_t k = 0; k < cut.lanes(most); k++) {
        build.lane(k);
        for (int hop = 0; hop + 1 < call.ranks; hop++) {
            const Range in = cut.slice(call.from[call.after(-hop - 1)], k);
            const Range leaving = call.from[call.after(-hop)], out = cut.slice(leaving, k);
            if (!in.empty()) build.receive({Memory::output, in.begin}, in.bytes(), call.after(-1));
            const Place place = hop == 0 ? own(call) + (out.begin - leaving.begin) : Place{Memory::output, out.begin};
            if (!out.empty()) build.send(place, out.bytes(), call.after(1));
            build.round();
        }
    }
    copy_own(build, call);
    return build.finish();
}

// Bruck et al. (1997), for small blocks: in round k a rank gets from the one 2^k further on all that it has, ceil(log2 p) rounds.
schedule::Schedule bruck(const Arguments &call) {
    schedule::Builder build;
    const std::size_t bytes = call.from[call.rank].bytes();
    if (bytes == 0) return build.finish();
    const Place all = build.scratch(static_cast<std::size_t>(call.ranks) * bytes); // of this rank, of the next, ...
    build.lane(0);
    build.copy(own(call), all, bytes);
    for (int have = 1; have < call.ranks; have *= 2) {
        const auto more = static_cast<std::size_t>(std::min(have, call.ranks - have));
        build.receive(all + static_cast<std::size_t>(have) * bytes, more * bytes, call.after(have));
        build.send(all, more * bytes, call.after(-have));
        build.round();
    }
    for (int distance = call.in_place ? 1 : 0; distance < call.ranks; distance++)
        build.copy(all + static_cast<std::size_t>(distance) * bytes,
                   {Memory::output, call.from[call.after(distance)].begin}, bytes);
    return build.finish();
}

} // namespace stretto::collective::allgather
