#include "collective/collective.h"

#include <algorithm>

namespace stretto::collective {

namespace {

bool commutes(const Arguments &call) {
    return call.commutes;
}

bool a_tag_for_each_rank(const Arguments &call) {
    return static_cast<std::size_t>(call.ranks) <= schedule::most_tags;
}

bool equal_blocks(const Arguments &call) {
    return !call.varies;
}

constexpr Algorithm table[] = {
    {"barrier", "dissemination", barrier::dissemination, true},
    {"bcast", "chain", bcast::chain, true},
    {"bcast", "binomial", bcast::binomial, true},
    {"gather", "linear", gather::linear, false},
    {"gather", "binomial", gather::binomial, true, equal_blocks},
    {"scatter", "linear", scatter::linear, false},
    {"scatter", "binomial", scatter::binomial, true, equal_blocks},
    {"allgather", "linear", allgather::linear, false},
    {"allgather", "ring", allgather::ring, true},
    {"allgather", "bruck", allgather::bruck, true, equal_blocks},
    {"alltoall", "linear", alltoall::linear, false},
    {"alltoall", "pairwise", alltoall::pairwise, true},
    {"alltoall", "bruck", alltoall::bruck, true, equal_blocks},
    {"neighbor_allgather", "linear", neighborhood::linear, false},
    {"neighbor_alltoall", "linear", neighborhood::linear, false},
    {"reduce", "chain", reduce::chain, true},
    {"reduce", "binomial", reduce::binomial, true},
    {"allreduce", "recursive_doubling", allreduce::recursive_doubling, true},
    {"allreduce", "ring", allreduce::ring, true, commutes},
    {"allreduce", "rabenseifner", allreduce::rabenseifner, true, commutes},
    {"reduce_scatter", "ring", reduce_scatter::ring, true, commutes},
    {"reduce_scatter", "in_order", reduce_scatter::in_order, true, a_tag_for_each_rank},
    {"scan", "chain", scan::chain, true},
    {"scan", "recursive_doubling", scan::recursive_doubling, true},
    {"exscan", "chain", exscan::chain, true},
    {"exscan", "recursive_doubling", exscan::recursive_doubling, true},
};

std::size_t up_to_multiple(std::size_t bytes, std::size_t of) {
    return (bytes + of - 1) / of * of;
}

} // namespace

std::span<const Algorithm> algorithms() {
    return table;
}

Blocks Blocks::dealt(std::size_t bytes, std::size_t unit, int ranks) {
    const std::size_t elements = bytes / unit, p = static_cast<std::size_t>(ranks);
    std::vector<Range> ranges;
    for (std::size_t r = 0; r < p; r++) ranges.push_back({elements * r / p * unit, elements * (r + 1) / p * unit});
    return of(std::move(ranges));
}

std::size_t Blocks::largest(int ranks) const {
    std::size_t most = bytes;
    for (int r = 0; r < ranks; r++) most = std::max(most, (*this)[r].bytes());
    return most;
}

Cut::Cut(const Arguments &arguments, std::size_t longest, std::size_t tags) {
    const std::size_t most = std::min(tags, arguments.most_lanes), least = longest / most + (longest % most != 0);
    bytes = up_to_multiple(std::max({arguments.lane, least, std::size_t{1}}), arguments.unit);
}

std::vector<Part> parts(const Arguments &arguments) {
    const Cut cut(arguments, arguments.bytes);
    std::vector<Part> all;
    for (std::size_t k = 0; k < cut.lanes(arguments.bytes); k++) all.push_back({cut.slice({0, arguments.bytes}, k), k});
    return all;
}

int way_to_parent(int position, int ranks) {
    int way = 1;
    while (way < ranks && !(position & way)) way *= 2;
    return way;
}

} // namespace stretto::collective
