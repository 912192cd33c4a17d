#include "world.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace simulation {

World *world = nullptr;

namespace {

constexpr int first_request = 0x2c000001, first_communicator = 0x44100000;
constexpr std::uint64_t enough_quiet = 100'000,
                        enough_looks = 600; // steps in which nothing comes, of all ranks and of each: they hang
constexpr unsigned longest_idle = 16, longest_idle_of_time = 3; // a call's time so often doubled
constexpr std::size_t stack_bytes = 1 << 18;

} // namespace

void fiber() {
    const int rank = world->current;
    world->each(rank);
    world->me().ended = true;
    world->leave();
}

World::World(int n, const Model &model) : model(model) {
    world = this;
    for (int k = 0; k < n; k++) {
        ranks.push_back(std::make_unique<Rank>());
        ranks.back()->number = k;
        ranks.back()->stack.resize(stack_bytes);
    }
    last_arrivals.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    Communicator all{0, {}};
    for (int k = 0; k < n; k++) all.world.push_back(k);
    communicators.push_back(all);
}

bool World::run(const std::function<void(int)> &function, std::uint64_t seed) {
    each = function;
    random = Random(seed);
    hangs = false;
    something_comes();
    for (auto &rank : ranks) {
        rank->ended = false;
        rank->idle = 0;
        rank->clock = latest;
        getcontext(&rank->context);
        rank->context.uc_stack.ss_sp = rank->stack.data();
        rank->context.uc_stack.ss_size = rank->stack.size();
        rank->context.uc_link = nullptr;
        makecontext(&rank->context, fiber, 0);
    }
    line.clear();
    for (auto &rank : ranks) line_up(*rank);
    running = true;
    current = first_in_line();
    swapcontext(&back, &me().context);
    running = false;
    for (auto &rank : ranks) latest = std::max(latest, rank->clock);
    return !hangs;
}

// Of ranks with the same clock, chance says which goes first.
void World::line_up(Rank &rank) {
    rank.ticket = random.next();
    line.emplace(rank.clock, rank.ticket, rank.number);
}

int World::first_in_line() {
    const int first = std::get<int>(*line.begin());
    line.erase(line.begin());
    return first;
}

void World::switch_to(int rank) {
    Rank &before = me();
    current = rank;
    swapcontext(&before.context, &me().context);
}

// Unless another one is behind the current rank.
void World::something_comes() {
    quiet = 0;
    coming++;
}

// Those that have seen the time look more often than others, which may still be about to do something.
bool World::is_quiet() {
    Rank &rank = me();
    if (std::exchange(rank.coming, coming) != coming) rank.looks = 0;
    rank.looks++;
    return ++quiet > enough_quiet * ranks.size() && std::all_of(ranks.begin(), ranks.end(), [&](const auto &one) {
        return one->ended || (one->coming == coming && one->looks >= enough_looks);
    });
}

void World::go_on() {
    steps++;
    if (hangs || is_quiet()) {
        hangs = true;
        swapcontext(&me().context, &back);
    }
    if (line.empty() || std::get<double>(*line.begin()) > me().clock) return;
    line_up(me());
    const int next = first_in_line();
    if (next != current) switch_to(next);
}

// For good.
void World::leave() {
    ucontext_t gone;
    if (hangs || line.empty()) {
        swapcontext(&gone, &back);
        return;
    }
    current = first_in_line();
    swapcontext(&gone, &me().context);
}

void World::spend(double seconds) {
    me().clock += seconds;
    go_on();
}

// Until something comes here; or a while, longer each time: others may do something, or time may pass.
void World::idle() {
    Rank &rank = me();
    rank.idle = std::min(rank.idle + 1, rank.sees_time ? longest_idle_of_time : longest_idle);
    rank.sees_time = false;
    rank.waits_from = rank.clock;
    rank.clock += model.call * (1u << rank.idle);
    if (!rank.inbox.empty()) rank.clock = std::max(rank.waits_from, std::min(rank.clock, rank.inbox.begin()->first));
    rank.clock = std::max(rank.waits_from, std::min(rank.clock, rank.expects));
    rank.expects = 1e300;
    rank.waits = true;
    go_on();
    rank.waits = false;
}

void World::enter() {
    double takes = model.call;
    if (model.stall > 0 && random.below(8) == 0) takes += model.stall * random.real();
    spend(takes);
    Rank &rank = me();
    while (!rank.inbox.empty() && rank.inbox.begin()->first <= rank.clock) {
        Event event = rank.inbox.begin()->second;
        rank.inbox.erase(rank.inbox.begin());
        rank.idle = 0;
        something_comes();
        arrive(std::move(event));
    }
    if (rank.in_hooks) return;
    rank.in_hooks = true;
    for (auto hook = rank.hooks.begin(); hook != rank.hooks.end();)
        hook = (*hook)() ? rank.hooks.erase(hook) : std::next(hook);
    rank.in_hooks = false;
}

void World::send_event(int from, int to, std::size_t bytes, Event event) {
    double &arrived = last_arrivals[static_cast<std::size_t>(from) * ranks.size() + static_cast<std::size_t>(to)];
    Rank &here = *ranks[static_cast<std::size_t>(from)], &there = *ranks[static_cast<std::size_t>(to)];
    const double takes = static_cast<double>(bytes) / model.rate;
    here.out_free = std::max(me().clock, here.out_free) + takes;
    there.in_free = std::max(here.out_free, there.in_free + takes);
    double comes = there.in_free + model.latency + model.jitter * random.real();
    const bool wrong = event.kind == Event::comes && model.fault != Model::none && random.below(50) == 0;
    if (wrong && model.fault == Model::lost) return;
    if (wrong && model.fault == Model::twice)
        there.inbox.emplace(std::max(comes, arrived), Event{event.kind, std::make_shared<Message>(*event.message)});
    if (wrong && model.fault == Model::overtakes)
        comes = me().clock;
    else
        arrived = comes = std::max(comes, arrived);
    there.inbox.emplace(comes, std::move(event));
    something_comes();
    wake(there, comes);
}

// A rank that waits need not wait longer.
void World::wake(Rank &rank, double when) {
    if (!rank.waits || rank.clock <= when || &rank == &me()) return;
    line.erase({rank.clock, rank.ticket, rank.number});
    rank.clock = std::max(when, rank.waits_from);
    line_up(rank);
}

static bool matches(const Request &wanted, const Message &message) {
    return wanted.context == message.context &&
           (wanted.from_world == MPI_ANY_SOURCE || wanted.from_world == message.from) &&
           (wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag);
}

void World::arrive(Event event) {
    const std::shared_ptr<Message> message = event.message;
    Rank &rank = me();
    switch (event.kind) {
    case Event::comes: {
        auto found = std::find_if(rank.posted.begin(), rank.posted.end(),
                                  [&](int handle) { return matches(request(handle), *message); });
        if (found == rank.posted.end()) {
            rank.unexpected.push_back(message);
            return;
        }
        const int handle = *found;
        rank.posted.erase(found);
        receive_matched(message, handle);
        return;
    }
    case Event::may_come:
        complete(message->send);
        message->send = 0;
        send_event(message->from, message->to, message->data.size(), {Event::bytes_come, message});
        return;
    case Event::bytes_come:
        take(message, message->receive);
        return;
    case Event::has_come:
        if (message->send) complete(message->send);
        message->send = 0;
        return;
    }
}

// The current rank's receive has met its message.
void World::receive_matched(const std::shared_ptr<Message> &message, int handle) {
    message->receive = handle;
    if (message->waits_for_receive) {
        send_event(message->to, message->from, 0, {Event::may_come, message});
        return;
    }
    take(message, handle);
    if (message->send) send_event(message->to, message->from, 0, {Event::has_come, message});
}

void World::take(const std::shared_ptr<Message> &message, int handle) {
    Request &receive = request(handle);
    const std::size_t bytes = std::min(message->data.size(), receive.bytes);
    if (bytes) std::memcpy(receive.buffer, message->data.data(), bytes);
    if (receive.unpack) receive.unpack(bytes);
    receive.received = bytes;
    receive.error =
        message->data.size() > receive.bytes && model.fault != Model::unsaid ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    receive.its_tag = message->tag;
    receive.source = message->from;
    complete(handle);
}

int World::new_request(Request its) {
    if (free_requests.empty()) {
        requests.push_back(std::make_unique<Request>());
        free_requests.push_back(static_cast<int>(requests.size()) - 1);
    }
    const int index = free_requests.back();
    free_requests.pop_back();
    *requests[static_cast<std::size_t>(index)] = std::move(its);
    return first_request + index;
}

Request &World::request(int handle) {
    return *requests.at(static_cast<std::size_t>(handle - first_request));
}

void World::complete(int handle) {
    Request &its = request(handle);
    its.done = true;
    if (its.orphan) free_requests.push_back(handle - first_request);
}

int World::isend(std::vector<std::byte> data, int to, int tag, const Communicator &comm, bool synchronous, int handle) {
    if (!handle) handle = new_request({.kind = Request::send});
    Request &its = request(handle);
    its.active = true;
    its.done = to == MPI_PROC_NULL;
    if (its.done) return handle;
    auto message = std::make_shared<Message>();
    message->from = current;
    message->to = comm.world.at(static_cast<std::size_t>(to));
    message->context = comm.context;
    message->tag = tag;
    const std::size_t bytes = data.size();
    message->data = std::move(data);
    message->waits_for_receive = bytes > model.eager;
    if (message->waits_for_receive || synchronous || !model.completes)
        message->send = handle;
    else
        its.done = true;
    send_event(current, message->to, message->waits_for_receive ? 0 : bytes, {Event::comes, message});
    return handle;
}

static std::shared_ptr<Message> first_unexpected(Rank &rank, const Request &wanted, bool take_it) {
    const auto found = std::find_if(rank.unexpected.begin(), rank.unexpected.end(),
                                    [&](const auto &message) { return matches(wanted, *message); });
    if (found == rank.unexpected.end()) return nullptr;
    const std::shared_ptr<Message> message = *found;
    if (take_it) rank.unexpected.erase(found);
    return message;
}

void World::start_receive(int handle) {
    Request &its = request(handle);
    its.active = true, its.done = false, its.cancelled = false;
    if (its.peer == MPI_PROC_NULL) {
        its.source = MPI_PROC_NULL, its.its_tag = MPI_ANY_TAG, its.received = 0, its.done = true;
        return;
    }
    if (const auto message = first_unexpected(me(), its, true))
        receive_matched(message, handle);
    else
        me().posted.push_back(handle);
}

std::shared_ptr<Message> World::find(int source, int tag, const Communicator &comm, bool take_it) {
    Request wanted{.kind = Request::receive};
    wanted.context = comm.context, wanted.tag = tag;
    wanted.from_world = source == MPI_ANY_SOURCE ? source : comm.world.at(static_cast<std::size_t>(source));
    return first_unexpected(me(), wanted, take_it);
}

int local_rank(const Communicator &comm, int world_rank) {
    const auto found = std::find(comm.world.begin(), comm.world.end(), world_rank);
    return found == comm.world.end() ? MPI_PROC_NULL : static_cast<int>(found - comm.world.begin());
}

bool World::finish(MPI_Request *handle, MPI_Status *status, int *error) {
    *error = MPI_SUCCESS;
    MPI_Status empty{};
    empty.MPI_SOURCE = MPI_ANY_SOURCE, empty.MPI_TAG = MPI_ANY_TAG;
    if (*handle == MPI_REQUEST_NULL || !request(*handle).active) {
        if (status != MPI_STATUS_IGNORE) *status = empty;
        return true;
    }
    Request &its = request(*handle);
    if (its.kind == Request::meeting && its.met()) its.done = true;
    if (!its.done) return false;
    if (status != MPI_STATUS_IGNORE) {
        if (its.kind == Request::receive) {
            status->count_lo = static_cast<int>(its.received);
            status->count_hi_and_cancelled = its.cancelled;
            status->MPI_TAG = its.its_tag;
            status->MPI_SOURCE = its.source;
            if (its.source >= 0)
                for (const Communicator &comm : communicators)
                    if (comm.context == its.context) status->MPI_SOURCE = local_rank(comm, its.source);
        } else {
            *status = empty;
            status->count_hi_and_cancelled = its.cancelled;
        }
    }
    *error = its.error;
    its.active = false;
    if (!its.persistent) {
        free_requests.push_back(*handle - first_request);
        *handle = MPI_REQUEST_NULL;
    }
    return true;
}

// Of a receive; a send that is cancelled is received all the same.
void World::cancel(int handle) {
    Request &its = request(handle);
    if (its.kind != Request::receive || its.done) return;
    auto &posted = me().posted;
    const auto found = std::find(posted.begin(), posted.end(), handle);
    if (found == posted.end()) return;
    posted.erase(found);
    its.cancelled = its.done = true;
    its.received = 0, its.source = MPI_ANY_SOURCE;
}

bool World::is_over(const Meeting &meeting) {
    if (meeting.finished && me().clock >= meeting.last) return true;
    if (meeting.finished) me().expects = meeting.last;
    return false;
}

int World::new_communicator(Communicator its) {
    if (free_communicators.empty()) {
        communicators.emplace_back();
        free_communicators.push_back(first_communicator + static_cast<int>(communicators.size()) - 1);
    }
    const int handle = free_communicators.back();
    free_communicators.pop_back();
    communicators[static_cast<std::size_t>(handle - first_communicator)] = std::move(its);
    return handle;
}

Communicator &World::communicator(int handle) {
    if (handle == MPI_COMM_WORLD) return communicators.front();
    if (handle == MPI_COMM_SELF) {
        static std::map<int, Communicator> selves;
        Communicator &self = selves[current];
        self = {-1 - current, {current}};
        return self;
    }
    return communicators.at(static_cast<std::size_t>(handle - first_communicator));
}

// Each rank's n-th collective call on a communicator is part of the same one. `all` runs when the last rank has come, and says what each gets.
std::shared_ptr<Meeting> World::meet(int handle, const void *in, void *out,
                                     const std::function<void(Meeting &, const Communicator &)> &all) {
    const Communicator comm = communicator(handle);
    const unsigned number = me().meetings[comm.context]++;
    const std::pair key(comm.context, number);
    auto &meeting = meetings[key];
    const std::size_t n = comm.world.size();
    if (!meeting) {
        meeting = std::make_shared<Meeting>();
        meeting->in.resize(n), meeting->out.resize(n);
    }
    const auto rank = static_cast<std::size_t>(local_rank(comm, current));
    meeting->in[rank] = in, meeting->out[rank] = out;
    meeting->arrived++;
    const std::shared_ptr<Meeting> its = meeting;
    if (its->arrived == n) {
        all(*its, comm);
        its->finished = true;
        its->last = me().clock + (n > 1 ? 2 * model.latency : 0);
        for (int other : comm.world) wake(*ranks[static_cast<std::size_t>(other)], its->last);
        meetings.erase(key);
        something_comes();
    }
    return its;
}

std::string World::leftover() const {
    std::string text;
    for (const auto &rank : ranks) {
        if (!rank->ended && !rank->doing.empty())
            text += "rank " + std::to_string(rank->number) + " is in " + rank->doing + "\n";
        for (const auto &message : rank->unexpected)
            if (std::find(contexts.begin(), contexts.end(), message->context) != contexts.end())
                text += "rank " + std::to_string(rank->number) + ": a message of " +
                        std::to_string(message->data.size()) + " bytes from " + std::to_string(message->from) +
                        " with tag " + std::to_string(message->tag) + " on context " +
                        std::to_string(message->context) + " is not received\n";
        for (int handle : rank->posted) {
            const Request &its = *requests[static_cast<std::size_t>(handle - first_request)];
            text += "rank " + std::to_string(rank->number) + ": a receive with tag " + std::to_string(its.tag) +
                    " on context " + std::to_string(its.context) + " is still posted\n";
        }
    }
    return text;
}

} // namespace simulation
