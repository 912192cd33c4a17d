#include "schedule/schedule.h"

#include <utility>

namespace stretto::schedule {

void Builder::lane(std::size_t tag) {
    next_tag = static_cast<std::uint32_t>(tag);
    lane_begins = true;
}

void Builder::round() {
    round_begins = true;
}

void Builder::add(const Step &step) {
    const auto here = static_cast<std::uint32_t>(made.steps_.size());
    if (lane_begins) made.lanes_.push_back({static_cast<std::uint32_t>(made.rounds_.size()), next_tag});
    if (lane_begins || round_begins) made.rounds_.push_back(here);
    lane_begins = round_begins = false;
    made.steps_.push_back(step);
}

void Builder::send(Place from, std::size_t bytes, int peer) {
    add({from.offset, 0, bytes, peer, Action::send, from.memory, Memory::scratch, 0});
}

void Builder::receive(Place to, std::size_t bytes, int peer) {
    add({0, to.offset, bytes, peer, Action::receive, Memory::scratch, to.memory, 0});
}

void Builder::copy(Place from, Place to, std::size_t bytes) {
    if (from == to || bytes == 0) return;
    add({from.offset, to.offset, bytes, -1, Action::copy, from.memory, to.memory, 0});
}

void Builder::reduce(Place source, Place target, std::size_t bytes) {
    add({source.offset, target.offset, bytes, -1, Action::reduce, source.memory, target.memory, 0});
}

Place Builder::scratch(std::size_t bytes) {
    const Place place{Memory::scratch, made.scratch};
    constexpr std::size_t border = alignof(std::max_align_t);
    made.scratch += (bytes + border - 1) / border * border;
    return place;
}

Schedule Builder::finish() {
    made.lanes_.push_back({static_cast<std::uint32_t>(made.rounds_.size()), 0});
    made.rounds_.push_back(static_cast<std::uint32_t>(made.steps_.size()));
    return std::move(made);
}

} // namespace stretto::schedule
