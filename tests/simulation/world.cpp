#include "world.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace simulation {

World *world = nullptr;

namespace {

constexpr int first_request = 0x2c000001, first_communicator = 0x44100000;
constexpr std::uint64_t enough_quiet = 400'000; // steps in which nothing comes: it hangs
constexpr std::size_t stack_bytes = 1 << 18;

} // namespace

void fiber() {
    const int rank = world->current;
    world->each(rank);
    world->me().ended = true;
    world->switch_to_earliest(false);
}

World::World(int n, const Model &model) : model(model) {
    world = this;
    for (int k = 0; k < n; k++) {
        ranks.push_back(std::make_unique<Rank>());
        ranks.back()->number = k;
        ranks.back()->stack.resize(stack_bytes);
    }
    free_from.assign(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), 0));
    Communicator all{0, {}};
    for (int k = 0; k < n; k++) all.world.push_back(k);
    communicators.push_back(all);
}

bool World::run(const std::function<void(int)> &function, std::uint64_t seed) {
    each = function;
    random = Random(seed);
    hangs = false;
    quiet = 0;
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
    running = true;
    current = static_cast<int>(random.below(ranks.size()));
    swapcontext(&back, &me().context);
    running = false;
    for (auto &rank : ranks) latest = std::max(latest, rank->clock);
    return !hangs;
}

// The rank whose clock is least; of several, chance decides.
void World::switch_to_earliest(bool may_stay) {
    steps++;
    if (hangs || ++quiet > enough_quiet) {
        hangs = true;
        ucontext_t gone;
        swapcontext(may_stay ? &me().context : &gone, &back);
        return;
    }
    const Rank *least = nullptr;
    std::size_t equal = 0;
    for (const auto &rank : ranks) {
        if (rank->ended) continue;
        if (!least || rank->clock < least->clock)
            least = rank.get(), equal = 1;
        else if (rank->clock == least->clock && random.below(++equal) == 0)
            least = rank.get();
    }
    if (!least) {
        ucontext_t gone;
        swapcontext(&gone, &back);
        return;
    }
    if (least == &me() && may_stay) return;
    Rank &before = me();
    current = least->number;
    ucontext_t gone;
    swapcontext(may_stay ? &before.context : &gone, &me().context);
}

void World::spend(double seconds) {
    me().clock += seconds;
    switch_to_earliest(true);
}

// Until the next event here, if there is one; else a while, longer each time: others may do something.
void World::idle() {
    Rank &rank = me();
    rank.idle = std::min(rank.idle + 1, 12u);
    double until = rank.clock + model.call * (1u << rank.idle);
    if (!rank.inbox.empty()) until = std::max(rank.clock, std::min(until, rank.inbox.begin()->first));
    rank.clock = until;
    switch_to_earliest(true);
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
        quiet = 0;
        arrive(std::move(event));
    }
    if (rank.in_hooks) return;
    rank.in_hooks = true;
    for (auto hook = rank.hooks.begin(); hook != rank.hooks.end();)
        hook = (*hook)() ? rank.hooks.erase(hook) : std::next(hook);
    rank.in_hooks = false;
}

void World::send_event(int from, int to, std::size_t bytes, Event event) {
    double &free = free_from[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    const double leaves = std::max(me().clock, free);
    free = leaves + static_cast<double>(bytes) / model.rate;
    double comes = free + model.latency + model.jitter * random.real();
    const bool wrong = event.kind == Event::comes && model.fault != Model::none && random.below(50) == 0;
    if (wrong && model.fault == Model::lost) return;
    if (wrong && model.fault == Model::twice)
        ranks[static_cast<std::size_t>(to)]->inbox.emplace(
            comes, Event{event.kind, std::make_shared<Message>(*event.message)});
    // In order, as on one connection.
    if (wrong && model.fault == Model::overtakes)
        comes = me().clock;
    else
        for (const auto &[time, other] : ranks[static_cast<std::size_t>(to)]->inbox)
            if (other.message->from == event.message->from && other.message->to == event.message->to)
                comes = std::max(comes, time);
    ranks[static_cast<std::size_t>(to)]->inbox.emplace(comes, std::move(event));
    quiet = 0;
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
    its.rank = current;
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

int World::isend(std::vector<std::byte> data, int to, int tag, const Communicator &comm, bool synchronous,
                 Request *known) {
    const int handle = known ? 0 : new_request({.kind = Request::send});
    Request &its = known ? *known : request(handle);
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
    message->synchronous = synchronous;
    if (message->waits_for_receive || synchronous || !model.completes)
        message->send = handle ? handle : -1;
    else
        its.done = true;
    if (message->send == -1) // of a persistent one, by its place
        for (std::size_t k = 0; k < requests.size(); k++)
            if (requests[k].get() == known) message->send = first_request + static_cast<int>(k);
    send_event(current, message->to, message->waits_for_receive ? 0 : bytes, {Event::comes, message});
    return handle;
}

void World::start_receive(int handle) {
    Request &its = request(handle);
    its.active = true, its.done = false, its.cancelled = false;
    if (its.peer == MPI_PROC_NULL) {
        its.source = MPI_PROC_NULL, its.its_tag = MPI_ANY_TAG, its.received = 0, its.done = true;
        return;
    }
    Rank &rank = me();
    auto found = std::find_if(rank.unexpected.begin(), rank.unexpected.end(),
                              [&](const auto &message) { return matches(its, *message); });
    if (found == rank.unexpected.end()) {
        rank.posted.push_back(handle);
        return;
    }
    const std::shared_ptr<Message> message = *found;
    rank.unexpected.erase(found);
    receive_matched(message, handle);
}

std::shared_ptr<Message> World::find(int source, int tag, const Communicator &comm, bool take_it) {
    Request wanted{.kind = Request::receive};
    wanted.context = comm.context, wanted.tag = tag;
    wanted.from_world = source == MPI_ANY_SOURCE ? source : comm.world.at(static_cast<std::size_t>(source));
    Rank &rank = me();
    auto found = std::find_if(rank.unexpected.begin(), rank.unexpected.end(),
                              [&](const auto &message) { return matches(wanted, *message); });
    if (found == rank.unexpected.end()) return nullptr;
    const std::shared_ptr<Message> message = *found;
    if (take_it) rank.unexpected.erase(found);
    return message;
}

static int local_rank(const Communicator &comm, int world_rank) {
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

int World::new_communicator(Communicator its) {
    communicators.push_back(std::move(its));
    return first_communicator + static_cast<int>(communicators.size()) - 1;
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
        meetings.erase(key);
        quiet = 0;
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
