#include "schedule/run.h"

#include "mpi/lifeline.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace stretto::schedule {

namespace {

constexpr std::size_t between_looks = 4096; // bytes of input that become ready: as few as a lane may have
constexpr std::size_t most_watched = 32;    // messages under way; of the senders of more no end is noticed

} // namespace

Run::Run(Name name, const Schedule &schedule, const Memories &memories, mpi::Channel &channel,
         mpi::Channel::Ticket ticket, std::size_t window, Listener *listener, bool fed)
    : name(name), schedule(schedule), memories(memories), channel(channel), ticket(ticket), window(window),
      scratch(std::make_unique_for_overwrite<std::byte[]>(schedule.scratch_bytes())), listener(listener), fed(fed) {
    states.reserve(schedule.lanes());
    if (listener) missing_ = schedule.results();
    if (schedule.lanes() == 0 || may_begin()) begin_lanes();
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
        if (failure != MPI_SUCCESS) return;
        if (states.size() == schedule.lanes() || states.size() - oldest >= window) break;
        states.emplace_back();
        go_on(states.size() - 1);
    }
    if (complete()) channel.end(ticket);
}

// Rounds without a message are over at once.
void Run::go_on(std::size_t lane) {
    State &state = states[lane];
    if (fed) std::erase(hungry, lane);
    while ((state.open == 0 || state.step > 0) && state.round < schedule.rounds(lane)) {
        const std::span<const Step> steps = schedule.steps(lane, state.round);
        for (; state.step < steps.size(); state.step++) {
            if (fed && !has_input(steps[state.step])) {
                hungry.push_back(static_cast<std::uint32_t>(lane));
                return;
            }
            begin(steps[state.step], lane);
            if (failure != MPI_SUCCESS) return;
        }
        state.step = 0;
        state.round++;
    }
}

bool Run::has_input(const Step &step) const {
    return step.action == Action::receive || step.source != Memory::input || input.covers(step.reads());
}

void Run::go_on_where_input_is() {
    const std::vector<std::uint32_t> lanes = hungry;
    for (const std::uint32_t lane : lanes)
        if (failure == MPI_SUCCESS && has_input(schedule.steps(lane, states[lane].round)[states[lane].step]))
            go_on(lane);
}

std::optional<Range> Run::ready(Range range) {
    if (const auto twice = input.insert(range)) return twice;
    since_look += range.bytes();
    if (!may_begin() || !may_call_program()) return {};
    go_on_where_input_is();
    if (since_look >= between_looks) poll();
    return {};
}

void Run::all_ready() {
    input.clear();
    input.insert({0, SIZE_MAX});
    if (!may_begin() || !may_call_program()) return;
    go_on_where_input_is();
    begin_lanes();
}

void Run::begin(const Step &step, std::size_t lane) {
    const int tag = static_cast<int>(schedule.tag(lane)), bytes = static_cast<int>(step.bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    switch (step.action) {
    case Action::send: {
        auto isend = channel.next_is_synchronous(step.peer) ? mpi::library.Issend : mpi::library.Isend;
        const int error = isend(source(step), bytes, MPI_BYTE, channel.rank(step.peer),
                                channel.tag_to(step.peer, ticket.number, tag), channel.way_to(step.peer), &request);
        if (error == MPI_SUCCESS) under_way(request, step, lane);
        check(error, step);
        break;
    }
    case Action::receive: {
        if (requests.size() < most_watched) mpi::lifeline::watch(channel.rank(step.peer));
        const int error = mpi::library.Irecv(target(step), bytes, MPI_BYTE, channel.rank(step.peer),
                                             channel.own_tag(ticket.number, tag), channel.own_way(), &request);
        if (error == MPI_SUCCESS) under_way(request, step, lane);
        check(error, step);
        break;
    }
    case Action::copy:
        std::memcpy(target(step), source(step), step.bytes);
        give(step);
        break;
    case Action::reduce:
        if (const int error = mpi::library.Reduce_local(source(step), target(step),
                                                        static_cast<int>(step.bytes / memories.element_bytes),
                                                        memories.element, memories.operation);
            error != MPI_SUCCESS)
            return give_up(error, "the MPI library does not add these elements up");
        give(step);
        break;
    }
}

void Run::check(int error, const Step &step) {
    if (error != MPI_SUCCESS)
        give_up(error, "the MPI library does not take a message to or from rank " + std::to_string(step.peer) +
                           ": is it gone?");
}

// What others send is not awaited any more; what is on its way to them stays with the library, which can take back no send.
void Run::give_up(int error, const std::string &why) {
    if (!name.tells || !name.tells(name.communicator)) fail(name.call, why, name.site);
    failure = error;
    const mpi::ErrorsReturn returned;
    for (std::size_t k = 0; k < sent.size(); k++) {
        MPI_Request &request = requests[k];
        if (request == MPI_REQUEST_NULL) continue;
        if (!sent[k].gives) {
            mpi::library.Request_free(&request);
            continue;
        }
        mpi::library.Cancel(&request);
        mpi::library.Wait(&request, MPI_STATUS_IGNORE);
    }
    requests.clear();
    sent.clear();
    hungry.clear();
    channel.end(ticket);
}

void Run::check_senders() const {
    for (const Sent &message : sent)
        if (message.gives && mpi::lifeline::cut(channel.rank(message.gives->peer)))
            fail(name.call,
                 "rank " + std::to_string(message.gives->peer) + " is gone; " + std::to_string(message.gives->bytes) +
                     " bytes of it are missing",
                 name.site);
}

void Run::under_way(MPI_Request request, const Step &step, std::size_t lane) {
    requests.push_back(request);
    sent.push_back({static_cast<std::uint32_t>(lane), step.action == Action::receive ? &step : nullptr});
    states[lane].open++;
}

void Run::give(const Step &step) {
    if (!listener || !step.gives_result || step.bytes == 0) return;
    missing_.erase(step.writes());
    listener->result(step.writes());
}

// As Completion::look, of those that may be looked at.
int Run::look_where_agreed() {
    std::vector<MPI_Request> agreed(requests.size(), MPI_REQUEST_NULL);
    for (std::size_t k = 0; k < requests.size(); k++)
        if (!sent[k].gives || may_look_at(sent[k].gives->peer)) std::swap(agreed[k], requests[k]);
    const int error = completion.look(agreed);
    for (std::size_t k = 0; k < requests.size(); k++)
        if (requests[k] == MPI_REQUEST_NULL) requests[k] = agreed[k];
    return error;
}

// One look at all messages; true if some have ended.
bool Run::look() {
    if (requests.empty()) return false;
    const int error = may_look_at ? look_where_agreed() : completion.look(requests);
    if (error != MPI_SUCCESS) {
        give_up(error, "the MPI library reports an error in one of its messages: a rank is gone, or gave other counts");
        return false;
    }
    if (completion.ended().empty()) return false;
    // Those that have ended make room, and their lanes go on, which appends others.
    std::vector<Sent> ended;
    ended.reserve(completion.ended().size());
    for (const int k : completion.ended()) ended.push_back(sent[static_cast<std::size_t>(k)]);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < requests.size(); k++)
        if (requests[k] != MPI_REQUEST_NULL) {
            requests[kept] = requests[k];
            sent[kept++] = sent[k];
        }
    requests.resize(kept);
    sent.resize(kept);
    progress::moves += ended.size();
    for (const Sent &message : ended) {
        if (message.gives) give(*message.gives);
        states[message.lane].open--;
        go_on(message.lane);
        if (failure != MPI_SUCCESS) return false;
    }
    return true;
}

bool Run::poll() {
    if (!may_begin() || !may_call_program()) return complete();
    since_look = 0;
    if (fed) go_on_where_input_is();
    begin_lanes();
    while (!complete() && look()) begin_lanes();
    if (mpi::lifeline::any_cut()) check_senders();
    return complete();
}

} // namespace stretto::schedule
