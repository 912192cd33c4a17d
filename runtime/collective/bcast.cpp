// MPI_Bcast, MPI_Ibcast (MPI 4.1, 6.4, 6.12.2).
#include "collective/collective.h"

namespace stretto::collective::bcast {

namespace {

schedule::Memory buffer(const Arguments &call) {
    return call.rank == call.root ? schedule::Memory::input : schedule::Memory::output;
}

} // namespace

// From each rank to the next: every link carries the message once, and with many lanes all at the same time.
schedule::Schedule chain(const Arguments &call) {
    schedule::Builder build;
    for (const Part &part : parts(call)) {
        const schedule::Place place{buffer(call), part.begin};
        build.lane(part.lane);
        if (call.position() > 0) build.receive(place, part.bytes(), call.after(-1));
        build.round();
        if (call.position() + 1 < call.ranks) build.send(place, part.bytes(), call.after(1));
    }
    return build.finish();
}

// A tree in which rank r gets it from r without its lowest bit: ceil(log2 p) hops.
schedule::Schedule binomial(const Arguments &call) {
    schedule::Builder build;
    const int here = call.position();
    const int way = way_to_parent(here, call.ranks); // children are so many ranks further on, halved again and again
    for (const Part &part : parts(call)) {
        const schedule::Place place{buffer(call), part.begin};
        build.lane(part.lane);
        if (here > 0) build.receive(place, part.bytes(), call.after(-way));
        build.round();
        for (int distance = way / 2; distance > 0; distance /= 2)
            if (here + distance < call.ranks) build.send(place, part.bytes(), call.after(distance));
    }
    return build.finish();
}

} // namespace stretto::collective::bcast
