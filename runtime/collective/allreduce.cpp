// MPI_Allreduce, MPI_Iallreduce (MPI 4.1, 6.9.6, 6.12.8). Every rank has the same bits: no sum is made twice, or in the same order everywhere.
#include "collective/collective.h"

#include <utility>

namespace stretto::collective::allreduce {

using schedule::Memory;
using schedule::Place;

namespace {

// Thakur, Rabenseifner, Gropp (2005): algorithms that halve want a power of two of ranks. The first few ranks work in pairs: the even one
// gives its contribution to the odd one, and gets the result from it.
struct PowerOfTwo {
    int ranks = 1; // that work
    int pairs;
    int here; // among those that work; -1: this rank does not

    explicit PowerOfTwo(const Arguments &call) {
        while (2 * ranks <= call.ranks) ranks *= 2;
        pairs = call.ranks - ranks;
        here = call.rank >= 2 * pairs ? call.rank - pairs : call.rank % 2 ? call.rank / 2 : -1;
    }

    int rank(int worker) const { return worker < pairs ? 2 * worker + 1 : worker + pairs; }
    bool has_partner(int rank) const { return rank < 2 * pairs; }
};

// The beginning for a part of the message: the contribution is in `output`, added to its partner's, which came in `room`. False: that is
// all that this rank does.
bool begin(schedule::Builder &build, const Arguments &call, const PowerOfTwo &power, Range part, Place room) {
    const Place mine = call.mine() + part.begin, result{Memory::output, part.begin};
    if (power.here < 0) {
        build.send(mine, part.bytes(), call.rank + 1);
        build.round();
        build.receive(result, part.bytes(), call.rank + 1);
        return false;
    }
    build.copy(mine, result, part.bytes());
    if (power.has_partner(call.rank)) {
        build.receive(room, part.bytes(), call.rank - 1);
        build.round();
        build.reduce(room, result, part.bytes());
    }
    return true;
}

void end(schedule::Builder &build, const Arguments &call, const PowerOfTwo &power, Range part) {
    build.round();
    if (power.has_partner(call.rank)) build.send({Memory::output, part.begin}, part.bytes(), call.rank - 1);
}

} // namespace

// In round k ranks whose numbers differ in bit k exchange their sums: log2 p rounds, for short messages.
schedule::Schedule recursive_doubling(const Arguments &call) {
    schedule::Builder build;
    const PowerOfTwo power(call);
    const Place room = build.scratch(call.bytes);
    for (const Part &part : parts(call)) {
        const Place result{Memory::output, part.begin};
        Place sum = result, other = room + part.begin;
        build.lane(part.lane);
        if (!begin(build, call, power, part, other)) continue;
        for (int bit = 1; bit < power.ranks; bit *= 2) {
            const int partner = power.rank(power.here ^ bit);
            build.receive(other, part.bytes(), partner);
            build.send(sum, part.bytes(), partner);
            build.round();
            if (partner > call.rank) std::swap(sum, other); // the lower rank's comes first
            build.reduce(other, sum, part.bytes());
        }
        build.copy(sum, result, part.bytes());
        end(build, call, power, part);
    }
    return build.finish();
}

// The message is dealt to the ranks. Each block goes round once and is added up, the sums go round once more: every link carries
// 2 (p-1)/p of the message, and all at the same time.
schedule::Schedule ring(const Arguments &call) {
    schedule::Builder build;
    const Blocks blocks = Blocks::dealt(call.bytes, call.unit, call.ranks);
    const std::size_t most = blocks.largest(call.ranks);
    const Cut cut(call, most);
    const Place room = call.in_place ? build.scratch(call.bytes) : Place{Memory::output, 0};
    for (std::size_t k = 0; k < cut.lanes(most); k++) {
        build.lane(k);
        if (call.ranks == 1)
            build.copy(call.mine() + k * cut.bytes, Place{Memory::output, 0} + k * cut.bytes,
                       cut.slice(blocks[0], k).bytes());
        for (int hop = 0; hop + 1 < call.ranks; hop++) {
            const Range in = cut.slice(blocks[call.after(-hop - 1)], k), out = cut.slice(blocks[call.after(-hop)], k);
            if (!in.empty()) build.receive(room + in.begin, in.bytes(), call.after(-1));
            if (!out.empty())
                build.send(hop == 0 ? call.mine() + out.begin : Place{Memory::output, out.begin}, out.bytes(),
                           call.after(1));
            build.round();
            if (in.empty()) continue;
            const Place sum{Memory::output, in.begin};
            build.reduce(call.in_place ? room + in.begin : call.mine() + in.begin, sum, in.bytes());
        }
        for (int hop = 0; hop + 1 < call.ranks; hop++) {
            const Range in = cut.slice(blocks[call.after(-hop)], k), out = cut.slice(blocks[call.after(1 - hop)], k);
            if (!in.empty()) build.receive({Memory::output, in.begin}, in.bytes(), call.after(-1));
            if (!out.empty()) build.send({Memory::output, out.begin}, out.bytes(), call.after(1));
            build.round();
        }
    }
    return build.finish();
}

// Rabenseifner (2004): in each round partners halve what both still add up, then in the other direction double what both have.
schedule::Schedule rabenseifner(const Arguments &call) {
    schedule::Builder build;
    const PowerOfTwo power(call);
    const Place room = build.scratch(call.bytes);
    for (const Part &part : parts(call)) {
        build.lane(part.lane);
        if (!begin(build, call, power, part, room + part.begin)) continue;
        const Blocks blocks = Blocks::dealt(part.bytes(), call.unit, power.ranks);
        const auto bytes = [&](int first, int number) {
            return Range{part.begin + blocks[first].begin, part.begin + blocks[first + number - 1].end};
        };
        for (int half = power.ranks / 2; half >= 1; half /= 2) {
            const int partner = power.rank(power.here ^ half), first = power.here & ~(2 * half - 1);
            const bool upper = power.here & half;
            const Range kept = bytes(upper ? first + half : first, half),
                        given = bytes(upper ? first : first + half, half);
            if (!kept.empty()) build.receive(room + kept.begin, kept.bytes(), partner);
            if (!given.empty()) build.send({Memory::output, given.begin}, given.bytes(), partner);
            build.round();
            if (!kept.empty()) build.reduce(room + kept.begin, {Memory::output, kept.begin}, kept.bytes());
        }
        for (int half = 1; half < power.ranks; half *= 2) {
            const int partner = power.rank(power.here ^ half), first = power.here & ~(2 * half - 1);
            const bool upper = power.here & half;
            const Range had = bytes(upper ? first + half : first, half),
                        wanted = bytes(upper ? first : first + half, half);
            if (!wanted.empty()) build.receive({Memory::output, wanted.begin}, wanted.bytes(), partner);
            if (!had.empty()) build.send({Memory::output, had.begin}, had.bytes(), partner);
            build.round();
        }
        end(build, call, power, part);
    }
    return build.finish();
}

} // namespace stretto::collective::allreduce
