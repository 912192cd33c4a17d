// MPI_Scan, MPI_Exscan, MPI_Iscan, MPI_Iexscan (MPI 4.1, 6.11, 6.12.11, 6.12.12).
#include "collective/collective.h"

#include <utility>

namespace stretto::collective {

using schedule::Memory;
using schedule::Place;

namespace {

// Each rank gets from the one before what all before it have together, and passes on what that is with its own.
schedule::Schedule chained(const Arguments &call, bool own_too) {
    schedule::Builder build;
    const bool first = call.rank == 0, last = call.rank + 1 == call.ranks;
    // One of the two sums is the result.
    const Place output{Memory::output, 0};
    const Place before = own_too ? build.scratch(call.bytes) : output;
    const Place with_own = own_too ? output : build.scratch(call.bytes);
    for (const Part &part : parts(call)) {
        build.lane(part.lane);
        if (own_too || !last) build.copy(call.mine() + part.begin, with_own + part.begin, part.bytes());
        if (!first) {
            build.receive(before + part.begin, part.bytes(), call.after(-1));
            build.round();
            if (own_too || !last) build.reduce(before + part.begin, with_own + part.begin, part.bytes());
        }
        if (!last) build.send(with_own + part.begin, part.bytes(), call.after(1));
    }
    return build.finish();
}

// In round k ranks whose numbers differ in bit k exchange what all that differ in lower bits only have together (Hillis, Steele 1986).
schedule::Schedule doubled(const Arguments &call, bool own_too) {
    schedule::Builder build;
    const Place result{Memory::output, 0}, one = build.scratch(call.bytes), another = build.scratch(call.bytes);
    for (const Part &part : parts(call)) {
        Place together = one + part.begin, theirs = another + part.begin;
        bool any_before = own_too;
        build.lane(part.lane);
        build.copy(call.mine() + part.begin, together, part.bytes());
        if (own_too) build.copy(call.mine() + part.begin, result + part.begin, part.bytes());
        for (int bit = 1; bit < call.ranks; bit *= 2) {
            const int partner = call.rank ^ bit;
            if (partner >= call.ranks) continue;
            build.receive(theirs, part.bytes(), partner);
            build.send(together, part.bytes(), partner);
            build.round();
            if (partner < call.rank) {
                if (any_before)
                    build.reduce(theirs, result + part.begin, part.bytes());
                else
                    build.copy(theirs, result + part.begin, part.bytes());
                any_before = true;
            } else {
                std::swap(together, theirs); // the lower rank's comes first
            }
            build.reduce(theirs, together, part.bytes());
        }
    }
    return build.finish();
}

} // namespace

schedule::Schedule scan::chain(const Arguments &call) {
    return chained(call, true);
}

schedule::Schedule scan::recursive_doubling(const Arguments &call) {
    return doubled(call, true);
}

schedule::Schedule exscan::chain(const Arguments &call) {
    return chained(call, false);
}

schedule::Schedule exscan::recursive_doubling(const Arguments &call) {
    return doubled(call, false);
}

} // namespace stretto::collective
