// MPI_Alltoall(v, w), MPI_Ialltoall(v, w) (MPI 4.1, 6.8, 6.12.6).
#include "collective/collective.h"

namespace stretto::collective::alltoall {

using schedule::Memory;
using schedule::Place;

namespace {

void copy_own(schedule::Builder &build, const Arguments &call) {
    build.lane(0);
    build.copy({Memory::input, call.to[call.rank].begin}, {Memory::output, call.from[call.rank].begin},
               call.to[call.rank].bytes());
}

// What this rank sends so many ranks on, and gets from as many behind: their k-th parts.
bool exchange(schedule::Builder &build, const Arguments &call, int distance, std::size_t k) {
    const Range in = call.from[call.after(-distance)], out = call.to[call.after(distance)];
    const Range theirs = Cut(call, in.bytes()).slice(in, k), mine = Cut(call, out.bytes()).slice(out, k);
    if (!theirs.empty()) build.receive({Memory::output, theirs.begin}, theirs.bytes(), call.after(-distance));
    if (!mine.empty()) build.send({Memory::input, mine.begin}, mine.bytes(), call.after(distance));
    return !theirs.empty() || !mine.empty();
}

} // namespace

// Each rank to each other one, all at once.
schedule::Schedule linear(const Arguments &call) {
    schedule::Builder build;
    in_turns(call.ranks, [&](int distance, std::size_t k) {
        build.lane(k);
        return exchange(build, call, distance, k);
    });
    copy_own(build, call);
    return build.finish();
}

// The same with one partner at a time in each lane, so that nobody's link is wanted by all.
schedule::Schedule pairwise(const Arguments &call) {
    schedule::Builder build;
    bool some = true;
    for (std::size_t k = 0; some; k++) {
        some = false;
        build.lane(k);
        for (int distance = 1; distance < call.ranks; distance++) {
            some = exchange(build, call, distance, k) || some;
            build.round();
        }
    }
    copy_own(build, call);
    return build.finish();
}

// Bruck et al. (1997), for small blocks: a block goes on by 2^k ranks in round k if bit k of its way is set.
schedule::Schedule bruck(const Arguments &call) {
    schedule::Builder build;
    const std::size_t bytes = call.to[0].bytes();
    const auto blocks = static_cast<std::size_t>(call.ranks);
    if (bytes == 0) return build.finish();
    const Place on_the_way = build.scratch(blocks * bytes); // by the distance that they still have to go, or came
    const Place leaving = build.scratch(blocks * bytes), coming = build.scratch(blocks * bytes);
    const auto block = [&](Place place, std::size_t k) { return place + k * bytes; };
    build.lane(0);
    for (int distance = 0; distance < call.ranks; distance++)
        build.copy({Memory::input, call.to[call.after(distance)].begin},
                   block(on_the_way, static_cast<std::size_t>(distance)), bytes);
    for (int hop = 1; hop < call.ranks; hop *= 2) {
        std::size_t together = 0;
        for (std::size_t k = 0; k < blocks; k++)
            if (k & static_cast<std::size_t>(hop)) build.copy(block(on_the_way, k), block(leaving, together++), bytes);
        build.receive(coming, together * bytes, call.after(-hop));
        build.send(leaving, together * bytes, call.after(hop));
        build.round();
        together = 0;
        for (std::size_t k = 0; k < blocks; k++)
            if (k & static_cast<std::size_t>(hop)) build.copy(block(coming, together++), block(on_the_way, k), bytes);
    }
    for (int distance = 0; distance < call.ranks; distance++)
        build.copy(block(on_the_way, static_cast<std::size_t>(distance)),
                   {Memory::output, call.from[call.after(-distance)].begin}, bytes);
    return build.finish();
}

} // namespace stretto::collective::alltoall
