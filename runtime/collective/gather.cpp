// MPI_Gather(v), MPI_Igather(v) (MPI 4.1, 6.5, 6.12.3).
#include "collective/collective.h"

#include <algorithm>

namespace stretto::collective::gather {

using schedule::Memory;
using schedule::Place;

// Each rank to the root, whose link is the bottleneck either way.
schedule::Schedule linear(const Arguments &call) {
    schedule::Builder build;
    if (call.rank != call.root) {
        for (const Part &part : parts(call)) {
            build.lane(part.lane);
            build.send({Memory::input, part.begin}, part.bytes(), call.root);
        }
        return build.finish();
    }
    in_turns(call.ranks, [&](int distance, std::size_t k) {
        const int peer = call.after(distance);
        const Range block = call.from[peer], part = Cut(call, block.bytes()).slice(block, k); // as that rank cuts it
        if (part.empty()) return false;
        build.lane(k);
        build.receive({Memory::output, part.begin}, part.bytes(), peer);
        return true;
    });
    if (!call.in_place) {
        build.lane(0);
        build.copy({Memory::input, 0}, {Memory::output, call.from[call.rank].begin}, call.from[call.rank].bytes());
    }
    return build.finish();
}

// A tree, for small blocks: each rank passes on what it has of those behind it, in one message.
schedule::Schedule binomial(const Arguments &call) {
    schedule::Builder build;
    const std::size_t bytes = call.bytes;
    const int here = call.position(), parent = way_to_parent(here, call.ranks);
    const int mine = std::min(parent, call.ranks - here); // blocks, of this rank and the ones behind it
    if (bytes == 0) return build.finish();
    // The root's blocks can come to where they belong if they are in order there.
    const bool straight = here == 0 && call.root == 0;
    const Place all = straight ? Place{Memory::output, 0} : build.scratch(static_cast<std::size_t>(mine) * bytes);
    build.lane(0);
    for (int distance = 1; distance < mine; distance *= 2) {
        const auto theirs = static_cast<std::size_t>(std::min(distance, mine - distance));
        build.receive(all + static_cast<std::size_t>(distance) * bytes, theirs * bytes, call.after(distance));
    }
    if (here > 0 || !call.in_place) build.copy({Memory::input, 0}, all, bytes);
    build.round();
    if (here > 0) {
        build.send(all, static_cast<std::size_t>(mine) * bytes, call.after(-parent));
    } else if (!straight) {
        for (int distance = call.in_place ? 1 : 0; distance < call.ranks; distance++)
            build.copy(all + static_cast<std::size_t>(distance) * bytes,
                       {Memory::output, call.from[call.after(distance)].begin}, bytes);
    }
    return build.finish();
}

} // namespace stretto::collective::gather
