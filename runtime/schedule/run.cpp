#include "schedule/run.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace stretto::schedule {

Run::Run(Name name, const Schedule &schedule, const Memories &memories, mpi::Channel &channel, int operation,
         std::size_t window)
    : name(name), schedule(schedule), memories(memories), channel(channel), operation(operation), window(window),
      scratch(std::make_unique_for_overwrite<std::byte[]>(schedule.scratch_bytes())) {
    states.reserve(schedule.lanes());
    if (channel.ready()) begin_lanes();
}

const std::byte *Run::source(const Step &step) const {
    return (step.source == Memory::input    ? memories.input
            : step.source == Memory::output ? memories.output
                                            : scratch.get()) +
           step.from;
}

std::byte *Run::target(const Step &step) const {
    return (step.target == Memory::output ? memories.output : scratch.get()) + step.to;
}

bool Run::reads(Range addresses) const {
    if (complete()) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(memories.input);
    std::size_t end = 0;
    for (const Step &step : schedule.steps())
        if (step.action != Action::receive && step.source == Memory::input)
            end = std::max<std::size_t>(end, step.from + step.bytes);
    return addresses.intersects({begin, begin + end});
}

void Run::begin_lanes() {
    for (;;) {
        while (oldest < states.size() && ended(oldest)) oldest++;
        if (states.size() == schedule.lanes() || states.size() - oldest >= window) return;
        states.emplace_back();
        go_on(states.size() - 1);
    }
}

// Rounds without a message are over at once.
void Run::go_on(std::size_t lane) {
    while (states[lane].open == 0 && states[lane].round < schedule.rounds(lane)) {
        const std::size_t round = states[lane].round++;
        for (const Step &step : schedule.steps(lane, round)) begin(step, lane);
    }
}

void Run::begin(const Step &step, std::size_t lane) {
    const int tag = static_cast<int>(schedule.tag(lane)), bytes = static_cast<int>(step.bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    switch (step.action) {
    case Action::send: {
        auto isend = lane % synchronous_every == synchronous_every - 1 ? mpi::library.Issend : mpi::library.Isend;
        check(isend(source(step), bytes, MPI_BYTE, channel.rank(step.peer), channel.tag_to(step.peer, operation, tag),
                    channel.handle(), &request),
              step);
        under_way(request, lane);
        break;
    }
    case Action::receive:
        check(mpi::library.Irecv(target(step), bytes, MPI_BYTE, channel.rank(step.peer),
                                 channel.own_tag(operation, tag), channel.handle(), &request),
              step);
        under_way(request, lane);
        break;
    case Action::copy:
        std::memcpy(target(step), source(step), step.bytes);
        break;
    case Action::reduce:
        mpi::library.Reduce_local(source(step), target(step), static_cast<int>(step.bytes / memories.element_bytes),
                                  memories.element, memories.operation);
        break;
    }
}

void Run::check(int error, const Step &step) const {
    if (error != MPI_SUCCESS)
        fail(name.call,
             "the MPI library does not take a message to or from rank " + std::to_string(step.peer) + ": is it gone?",
             name.site);
}

void Run::under_way(MPI_Request request, std::size_t lane) {
    requests.push_back(request);
    lane_of.push_back(static_cast<std::uint32_t>(lane));
    states[lane].open++;
}

// One look at all messages; true if some have ended.
bool Run::look() {
    if (requests.empty()) return false;
    done.resize(requests.size());
    int n = 0;
    if (mpi::library.Testsome(static_cast<int>(requests.size()), requests.data(), &n, done.data(),
                              MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        fail(name.call, "the MPI library reports an error in one of its messages: a rank is gone, or gave other counts",
             name.site);
    if (n <= 0) return false;
    // Those that have ended make room, and their lanes go on, which appends others.
    std::vector<std::uint32_t> lanes;
    for (int k = 0; k < n; k++) lanes.push_back(lane_of[static_cast<std::size_t>(done[static_cast<std::size_t>(k)])]);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < requests.size(); k++)
        if (requests[k] != MPI_REQUEST_NULL) {
            requests[kept] = requests[k];
            lane_of[kept++] = lane_of[k];
        }
    requests.resize(kept);
    lane_of.resize(kept);
    progress::moves += lanes.size();
    for (const std::uint32_t lane : lanes) {
        states[lane].open--;
        go_on(lane);
    }
    return true;
}

bool Run::poll() {
    if (!channel.ready() || (memories.calls_program && progress::apart)) return complete();
    begin_lanes();
    while (!complete() && look()) begin_lanes();
    return complete();
}

} // namespace stretto::schedule
