// MPI_Reduce, MPI_Ireduce (MPI 4.1, 6.9.1, 6.12.7).
#include "collective/collective.h"

#include <vector>

namespace stretto::collective::reduce {

using schedule::Memory;
using schedule::Place;

namespace {

// Who comes behind whom. An operation that does not commute needs the order of the ranks; else the result should end at the root.
struct Order {
    int here, root;

    explicit Order(const Arguments &call)
        : here(call.commutes ? call.position() : call.rank), root(call.commutes ? 0 : call.root),
          rank_of_first(call.commutes ? call.root : 0), ranks(call.ranks) {}

    int rank(int position) const { return (rank_of_first + position) % ranks; }

private:
    int rank_of_first, ranks;
};

// The first one has it; it goes where it belongs.
void deliver(schedule::Builder &build, const Order &order, Place place, Range part) {
    build.round();
    const Place result{Memory::output, part.begin};
    if (order.root == 0) {
        if (order.here == 0) build.copy(place, result, part.bytes());
    } else if (order.here == 0) {
        build.send(place, part.bytes(), order.rank(order.root));
    } else if (order.here == order.root) {
        build.receive(result, part.bytes(), order.rank(0));
    }
}

} // namespace

// From each rank to the one before, which adds its own: every link carries the message once, and with many lanes all at the same time.
schedule::Schedule chain(const Arguments &call) {
    schedule::Builder build;
    const Order order(call);
    // The sum cannot grow where a contribution still lies.
    const bool straight = order.here == 0 && order.root == 0 && !call.in_place;
    const Place sums = straight ? Place{Memory::output, 0} : build.scratch(call.bytes);
    for (const Part &part : parts(call)) {
        Place sum = call.mine() + part.begin;
        build.lane(part.lane);
        if (order.here + 1 < call.ranks) {
            build.receive(sums + part.begin, part.bytes(), order.rank(order.here + 1));
            build.round();
            build.reduce(sum, sums + part.begin, part.bytes());
            sum = sums + part.begin;
        }
        if (order.here > 0) build.send(sum, part.bytes(), order.rank(order.here - 1));
        deliver(build, order, sum, part);
    }
    return build.finish();
}

// A tree in which each rank adds up what its children have, the nearest first, and sends it to its parent.
schedule::Schedule binomial(const Arguments &call) {
    schedule::Builder build;
    const Order order(call);
    std::vector<int> children;
    const int parent = way_to_parent(order.here, call.ranks);
    for (int distance = 1; distance < parent && order.here + distance < call.ranks; distance *= 2)
        children.push_back(order.here + distance);
    std::vector<Place> theirs;
    for (std::size_t c = 0; c < children.size(); c++) theirs.push_back(build.scratch(call.bytes));
    for (const Part &part : parts(call)) {
        Place sum = call.mine() + part.begin;
        build.lane(part.lane);
        for (std::size_t c = 0; c < children.size(); c++)
            build.receive(theirs[c] + part.begin, part.bytes(), order.rank(children[c]));
        build.round();
        for (const Place &child : theirs) {
            build.reduce(sum, child + part.begin, part.bytes());
            sum = child + part.begin;
        }
        if (order.here > 0) build.send(sum, part.bytes(), order.rank(order.here - parent));
        deliver(build, order, sum, part);
    }
    return build.finish();
}

} // namespace stretto::collective::reduce
