// MPI_Scatter(v), MPI_Iscatter(v) (MPI 4.1, 6.6, 6.12.4).
#include "collective/collective.h"

#include <algorithm>

namespace stretto::collective::scatter {

using schedule::Memory;
using schedule::Place;

// The root to each rank.
schedule::Schedule linear(const Arguments &call) {
    schedule::Builder build;
    if (call.rank != call.root) {
        for (const Part &part : parts(call)) {
            build.lane(part.lane);
            build.receive({Memory::output, part.begin}, part.bytes(), call.root);
        }
        return build.finish();
    }
    in_turns(call.ranks, [&](int distance, std::size_t k) {
        const int peer = call.after(distance);
        const Range block = call.to[peer], part = Cut(call, block.bytes()).slice(block, k); // as that rank cuts it
        if (part.empty()) return false;
        build.lane(k);
        build.send({Memory::input, part.begin}, part.bytes(), peer);
        return true;
    });
    if (!call.in_place) {
        build.lane(0);
        build.copy({Memory::input, call.to[call.rank].begin}, {Memory::output, 0}, call.to[call.rank].bytes());
    }
    return build.finish();
}

// A tree, for small blocks: each rank gets those of the ranks behind it too, in one message.
schedule::Schedule binomial(const Arguments &call) {
    schedule::Builder build;
    const std::size_t bytes = call.bytes;
    const int here = call.position(), parent = way_to_parent(here, call.ranks);
    const int mine = std::min(parent, call.ranks - here); // blocks, for this rank and the ones behind it
    if (bytes == 0) return build.finish();
    const bool straight = here == 0 && call.root == 0; // the root's blocks are in order
    const Place all = straight ? Place{Memory::input, 0} : build.scratch(static_cast<std::size_t>(mine) * bytes);
    build.lane(0);
    if (here > 0) {
        build.receive(all, static_cast<std::size_t>(mine) * bytes, call.after(-parent));
        build.round();
    } else if (!straight) {
        for (int distance = 1; distance < call.ranks; distance++)
            build.copy({Memory::input, call.to[call.after(distance)].begin},
                       all + static_cast<std::size_t>(distance) * bytes, bytes);
    }
    int furthest = 1;
    while (2 * furthest < mine) furthest *= 2;
    for (int distance = mine > 1 ? furthest : 0; distance > 0; distance /= 2) {
        const auto theirs = static_cast<std::size_t>(std::min(distance, mine - distance));
        build.send(all + static_cast<std::size_t>(distance) * bytes, theirs * bytes, call.after(distance));
    }
    if (here > 0)
        build.copy(all, {Memory::output, 0}, bytes);
    else if (!call.in_place)
        build.copy({Memory::input, call.to[call.rank].begin}, {Memory::output, 0}, bytes);
    return build.finish();
}

} // namespace stretto::collective::scatter
