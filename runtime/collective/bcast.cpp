// MPI_Bcast, MPI_Ibcast (MPI 4.1, 6.4, 6.12.2).
#include "collective/collective.h"

namespace stretto::collective::bcast {

namespace {

schedule::Memory buffer(const Arguments &call) {
    return call.rank == call.root ? schedule::Memory::input : schedule::Memory::output;
}

// Where a rank stands, the root first.
int position(const Arguments &call) {
    return (call.rank - call.root + call.ranks) % call.ranks;
}

} // namespace

// From each rank to the next: every link carries the message once, and with many lanes all at the same time.
schedule::Schedule chain(const Arguments &call) {
    schedule::Builder build;
    const Cut cut(call, call.bytes);
    for (std::size_t k = 0; k < cut.lanes(call.bytes); k++) {
        const Range part = cut.slice({0, call.bytes}, k);
        const schedule::Place place{buffer(call), part.begin};
        build.lane(k);
        if (position(call) > 0) build.receive(place, part.bytes(), call.after(-1));
        build.round();
        if (position(call) + 1 < call.ranks) build.send(place, part.bytes(), call.after(1));
    }
    return build.finish();
}

// A tree in which rank r gets it from r without its lowest bit: ceil(log2 p) hops.
schedule::Schedule binomial(const Arguments &call) {
    schedule::Builder build;
    const Cut cut(call, call.bytes);
    const int here = position(call);
    int children = 1; // those of a rank are so many ranks further on, halved again and again
    while (children < call.ranks && !(here & children)) children *= 2;
    for (std::size_t k = 0; k < cut.lanes(call.bytes); k++) {
        const Range part = cut.slice({0, call.bytes}, k);
        const schedule::Place place{buffer(call), part.begin};
        build.lane(k);
        if (here > 0) build.receive(place, part.bytes(), call.after(-children));
        build.round();
        for (int distance = children / 2; distance > 0; distance /= 2)
            if (here + distance < call.ranks) build.send(place, part.bytes(), call.after(distance));
    }
    return build.finish();
}

} // namespace stretto::collective::bcast
