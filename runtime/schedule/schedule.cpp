#include "schedule/schedule.h"

#include <utility>

namespace stretto::schedule {

RangeSet Schedule::results() const {
    RangeSet all;
    for (const Step &step : steps_)
        if (step.gives_result) all.insert(step.writes());
    return all;
}

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
    add({from.offset, 0, bytes, peer, Action::send, from.memory, Memory::scratch, false});
}

void Builder::receive(Place to, std::size_t bytes, int peer) {
    add({0, to.offset, bytes, peer, Action::receive, Memory::scratch, to.memory, false});
}

void Builder::copy(Place from, Place to, std::size_t bytes) {
    if (from == to || bytes == 0) return;
    add({from.offset, to.offset, bytes, -1, Action::copy, from.memory, to.memory, false});
}

void Builder::reduce(Place source, Place target, std::size_t bytes) {
    add({source.offset, target.offset, bytes, -1, Action::reduce, source.memory, target.memory, false});
}

Place Builder::scratch(std::size_t bytes) {
    const Place place{Memory::scratch, made.scratch};
    constexpr std::size_t border = alignof(std::max_align_t);
    made.scratch += (bytes + border - 1) / border * border;
    return place;
}

// Of the steps of a lane. No two lanes write the same bytes.
void Builder::find_results(std::size_t first, std::size_t end) {
    RangeSet written_later;
    for (std::size_t k = end; k-- > first;) {
        Step &step = made.steps_[k];
        if (step.action == Action::send || step.target != Memory::output) continue;
        step.gives_result = !written_later.insert(step.writes());
    }
}

Schedule Builder::finish() {
    made.lanes_.push_back({static_cast<std::uint32_t>(made.rounds_.size()), 0});
    made.rounds_.push_back(static_cast<std::uint32_t>(made.steps_.size()));
    for (std::size_t lane = 0; lane < made.lanes(); lane++)
        find_results(made.rounds_[made.lanes_[lane].first_round], made.rounds_[made.lanes_[lane + 1].first_round]);
    return std::move(made);
}

} // namespace stretto::schedule
