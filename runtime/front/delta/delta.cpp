// MPIX_Delta_*: delta send and receive (Bao et al. 2012, section II; include/stretto/stretto.h; docs/protocol, rule 10).
#include "front/delta/delta.h"
#include "devices/devices.h"
#include "front/arguments.h"
#include "front/calls/incoming.h"
#include "front/calls/outgoing.h"
#include "front/calls/requests.h"
#include "front/compiled/collective.h"
#include "front/delta/collective.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "mpi/committed.h"
#include "pages/guard.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/timeline.h"
#include "trigger/registry.h"
#include "tune/which_framing.h"
#include "tune/which_trigger.h"

#include <stretto/stretto.h>

#include <algorithm>
#include <span>
#include <vector>

namespace stretto::front {

namespace {

// A delta send whose message cannot be framed: it leaves at its end, natively. Annotations are still checked.
class Held final : public trigger::Sender {
public:
    void ready(Range range, CallSite site) override {
        if (const auto twice = declared.insert(range))
            fail("MPIX_Delta_send_data",
                 bytes(twice->begin, twice->end) + " of " + message::describe("to", dest, tag) +
                     " were declared ready twice",
                 site);
    }
    Held(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
        : buf(buf), count(count), type(type), dest(dest), tag(tag), comm(comm) {}

    //! The end of the last byte that was declared.
    std::size_t declared_end() const { return declared.empty() ? 0 : declared.ranges().back().end; }

    const void *buf;
    MPI_Count count;
    const mpi::OwnType type;
    int dest, tag;
    MPI_Comm comm;

private:
    RangeSet declared;
};

// A delta send between its begin and its end.
struct Open {
    MPI_Request request;
    message::Send *send; // or:
    std::unique_ptr<Held> held;
    std::size_t element_bytes;
    MPI_Comm comm;
    int dest, tag;
    CallSite site;
    bool listens; // to annotations
    std::span<const std::byte> memory;
    bool fed = false; // by a compiler's calls
};
constinit std::vector<Open> open_sends;

std::size_t bytes_of(MPI_Datatype type) {
    if (active) return mpi::type_map(type).bytes();
    int size = 0;
    mpi::library.Type_size(type, &size);
    return static_cast<std::size_t>(size);
}

const Open *find_open(int dest, int tag, MPI_Comm comm) {
    for (const Open &open : open_sends)
        if (open.dest == dest && open.tag == tag && open.comm == comm) return &open;
    return nullptr;
}

std::vector<Open>::iterator find_send(const MPI_Request &request, const char *name, CallSite site) {
    const auto at =
        std::find_if(open_sends.begin(), open_sends.end(), [&](const Open &open) { return open.request == request; });
    if (at == open_sends.end())
        fail(name, "this request is no open delta send: it was not begun, or has ended already", site);
    return at;
}

// What is sent on may still be coming, where the program has not touched it.
void settle_send(const MPI_Request &request, const char *name, CallSite site) {
    if (!pages::Guard::any()) return;
    std::span<const std::byte> memory;
    {
        progress::Guard guard;
        memory = find_send(request, name, site)->memory;
    }
    pages::Guard::settle(memory.data(), memory.size());
}

// A delta receive between its begin and its end.
struct OpenReceive {
    const void *buf;
    Matched matched;
    bool listens; // to annotations
};
constinit std::vector<OpenReceive> open_receives;

tune::Release choose_release(Trigger said, CallSite begin) {
    tune::Release release;
    {
        progress::Guard guard;
        release = tune::release(said, begin);
    }
    if (release == tune::Release::guarded) start_pages();
    return release;
}

void report(const pages::Tracker::Misuse &misuse, const message::Send &send, const char *name) {
    std::string by;
    if (misuse.instruction) by = ", by " + describe(static_cast<const char *>(misuse.instruction) + 1);
    fail(name,
         "byte " + std::to_string(misuse.offset) + " of " +
             message::describe("to", send.envelope().rank, send.envelope().tag) +
             " was written again after it had left" + by + ": see docs/pages.md, or set STRETTO_TRIGGER=plain",
         send.begun_at());
}

} // namespace

Trigger trigger_on(MPI_Comm comm) {
    progress::Guard guard;
    return active ? mpi::communicator(comm)->says_what_is_final() : settings.trigger;
}

bool listens_to_annotations(Trigger said) {
    return said == Trigger::automatic || said == Trigger::annotations;
}

// The smallest that gains: a first fragment and something after it. Any header would do for the rest of rule 10.
mpi::Peer *peer_for_parts(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    if (tag < 0 || tag > mpi::job.tag_bound) return nullptr;
    const mpi::TypeMap &map = mpi::type_map(type);
    if (!map.known() || !mpi::is_committed(type) ||
        static_cast<std::size_t>(count) * map.bytes() < message::least_total)
        return nullptr;
    return mpi::in_device_memory(buf, count, type) ? nullptr : mpi::communicator(comm)->framing_peer(dest);
}

namespace {

// Its request is complete at the end at the earliest.
Open &open_send(message::Send *send, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request *request, CallSite site) {
    Operation &operation = new_operation();
    operation.send = send;
    operation.waits_for_end = true;
    *request = operation.handle;
    delta_sends_open++;
    const std::size_t element = count > 0 ? bytes_of(type) : 0;
    return open_sends.emplace_back(Open{*request, send, nullptr, element, comm, dest, tag, site, false, {}});
}

} // namespace

int send_begin(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request, CallSite site) {
    wait_for_matches();
    const Trigger said = trigger_on(comm);
    mpi::Peer *peer = nullptr;
    trigger::Watch watch;
    if (active && count > 0) {
        progress::Guard guard;
        peer = peer_for_parts(buf, count, type, dest, tag, comm);
        const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(type);
        const bool seen = settings.tracker || !devices::may_reach(pages::addresses_of(buf, bytes));
        if (peer && seen && mpi::type_map(type).contiguous()) watch = tune::watch(said, site, buf, bytes, peer->rate);
    }
    if (watch) start_pages(); // the first one starts the mechanisms
    progress::Guard guard;
    enter();
    check_place(dest, tag, comm);
    message::Send *send = nullptr;
    if (peer)
        send = message::Send::begin({buf, count, type}, {mpi::communicator(comm), dest, tag}, *peer,
                                    message::Send::Kind::delta, site, bool(watch));
    Open &open = open_send(send, count, type, dest, tag, comm, request, site);
    open.listens = listens_to_annotations(said);
    if (open.listens) stretto_sends_open = stretto_sends_open + 1;
    if (send) {
        report::message(report::current, report::Fate::send_framed, send->bytes());
        open.memory = send->memory();
        trigger::enter(open.memory.data(), open.memory.size(), *send, watch, send->delta_bytes(), site);
        if (watch) stretto::count(watch.is_rehearsal() ? Rule::pages_rehearsed : Rule::pages_watched);
        // While the first delta is written, the receiver learns of the message, and closes its pages.
        if (watch && !watch.is_rehearsal()) send->take_place();
        return MPI_SUCCESS;
    }
    open.held = std::make_unique<Held>(buf, count, type, dest, tag, comm);
    MPI_Aint lower = 0, extent = 0;
    mpi::library.Type_get_extent(type, &lower, &extent);
    const auto extents = static_cast<std::size_t>(std::max<MPI_Count>(count, 0)) *
                         static_cast<std::size_t>(std::max<MPI_Aint>(extent, 0));
    open.memory = {static_cast<const std::byte *>(buf), extents};
    trigger::enter(buf, extents, *open.held);
    return MPI_SUCCESS;
}

message::Send *begin_fed(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request, CallSite site) {
    // What is wrong is MPI's to say, at the end.
    if (!active || count <= 0 || !buf || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL || tag < 0) return nullptr;
    wait_for_matches();
    if (!listens_to_annotations(trigger_on(comm))) return nullptr;
    progress::Guard guard;
    // As of messages that nobody annotated: a short one gains too little.
    const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(type);
    if (bytes < settings.threshold) return nullptr;
    mpi::Peer *peer = peer_for_parts(buf, count, type, dest, tag, comm);
    if (!peer || !mpi::type_map(type).contiguous() || find_open(dest, tag, comm)) return nullptr;
    if (!tune::starts_early(site, bytes, peer, trace::now())) return nullptr;
    enter();
    message::Send *send = message::Send::begin({buf, count, type}, {mpi::communicator(comm), dest, tag}, *peer,
                                               message::Send::Kind::delta, site);
    if (!send) return nullptr;
    report::message(report::current, report::Fate::send_framed, send->bytes());
    Open &open = open_send(send, count, type, dest, tag, comm, request, site);
    open.fed = true;
    open.memory = send->memory();
    return send;
}

int send_end(MPI_Count count, MPI_Request *request, CallSite site, const char *name) {
    settle_send(*request, name, site);
    progress::Guard guard;
    const auto at = find_send(*request, name, site);
    Open open = std::move(*at);
    open_sends.erase(at);
    delta_sends_open--;
    if (open.listens) stretto_sends_open = stretto_sends_open - 1;
    Operation &operation = *operations.find(*request);
    operation.waits_for_end = false;
    enter(); // the others
    if (open.send) {
        const trigger::Heard heard = trigger::leave(*open.send);
        if (heard.misuse && !heard.watch.is_rehearsal()) report(*heard.misuse, *open.send, name);
        tune::learn_sender(open.site, heard, open.send->bytes(), open.send->seconds());
        const std::size_t bytes = count < 0 ? open.send->bytes() : static_cast<std::size_t>(count) * open.element_bytes;
        if (bytes > open.send->bytes())
            fail(name,
                 "the message has at most " + std::to_string(open.send->bytes()) + " bytes, it cannot end with " +
                     std::to_string(bytes),
                 site);
        open.send->end(bytes);
        return MPI_SUCCESS;
    }
    Held &held = *open.held;
    trigger::leave(held);
    stretto::count(Rule::delta_at_end);
    if (count > held.count)
        fail(name,
             "the message has at most " + std::to_string(held.count) + " elements, it cannot end with " +
                 std::to_string(count),
             site);
    if (count >= 0 && held.declared_end() > static_cast<std::size_t>(count) * open.element_bytes)
        fail(name,
             "the message ends at byte " + std::to_string(static_cast<std::size_t>(count) * open.element_bytes) +
                 ", but bytes up to " + std::to_string(held.declared_end() - 1) + " were declared ready",
             open.site);
    // An ordinary send from here on, under a request of its own.
    operations.erase(*request);
    mpi::give_back(*request);
    delete &operation;
    const MPI_Count n = count < 0 ? held.count : count;
    message::Send *framed =
        active ? frame(native::Mode::standard, held.buf, n, held.type.handle(), held.dest, held.tag, held.comm)
               : nullptr;
    if (!framed)
        return native::isend(native::Mode::standard, held.buf, n, held.type.handle(), held.dest, held.tag, held.comm,
                             request);
    Operation &ordinary = new_operation();
    ordinary.send = framed;
    *request = ordinary.handle;
    return MPI_SUCCESS;
}

int match(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, tune::Release release,
          CallSite site, Matched &matched) {
    if (!active || source == MPI_PROC_NULL) {
        const trace::Wait waiting;
        return native::recv(buf, count, type, source, tag, comm, &matched.status);
    }
    if (!may_come_in_parts(count, type)) { // so there is nothing to return early from
        settle(buf, count, type, true);
        return Recv(buf, count, type, source, tag, comm, &matched.status);
    }
    const trace::Wait waiting;
    settle(buf, count, type, true);
    {
        progress::Guard guard;
        enter();
        matched.incoming =
            begin_receive(buf, count, type, source, tag, comm, site,
                          release == tune::Release::guarded ? message::Returns::guarded : message::Returns::complete);
    }
    if (matched.incoming.error != MPI_SUCCESS) return matched.incoming.error;
    // Until it is matched, which its first fragment tells. Other threads may complete it from then on.
    message::Receive *receive = matched.incoming.receive;
    bool guarded = false;
    const auto is_matched = [&] {
        if (!receive->look_at_first()) return false;
        // A message that is too long is an error now, and such a receive has no end.
        matched.complete = receive->where() != message::Receive::State::deltas || receive->error() != MPI_SUCCESS;
        guarded = receive->is_guarded();
        return true;
    };
    if (receive) progress::until(is_matched);
    if (matched.complete) return finish_receive(matched.incoming, &matched.status);
    if (guarded)
        progress::until([&] { return receive->edges_arrived(); });
    else if (release != tune::Release::annotated)
        progress::until([&] { return receive->is_complete(); });
    progress::Guard guard;
    matched.status = receive->result();
    mpi::library.Status_set_elements_x(&matched.status, MPI_BYTE, static_cast<MPI_Count>(receive->bytes()));
    return MPI_SUCCESS;
}

int recv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status,
         CallSite site) {
    const Trigger said = trigger_on(comm);
    OpenReceive open{buf, {}, listens_to_annotations(said)};
    const bool in_parts = active && source != MPI_PROC_NULL && may_come_in_parts(count, type);
    const tune::Release release = in_parts ? choose_release(said, site) : tune::Release::never;
    if (const int error = match(buf, count, type, source, tag, comm, release, site, open.matched)) return error;
    give_status(open.matched.status, status);
    progress::Guard guard;
    if (!open.matched.complete) {
        message::Receive *receive = open.matched.incoming.receive;
        const auto memory = receive->buffer().memory();
        trigger::enter(memory.data(), memory.size(), *receive);
        if (open.listens) stretto_receives_open = stretto_receives_open + 1;
    }
    open_receives.push_back(open);
    return MPI_SUCCESS;
}

int recv_end(const void *buf, MPI_Status *status, CallSite site) {
    OpenReceive open;
    {
        progress::Guard guard;
        if (active) enter();
        const auto at = std::find_if(open_receives.begin(), open_receives.end(),
                                     [&](const OpenReceive &o) { return o.buf == buf; });
        if (at == open_receives.end()) fail("MPIX_Delta_recv_end", "no delta receive into this buffer is open", site);
        open = *at;
        open_receives.erase(at);
        if (!open.matched.complete) {
            trigger::leave(*open.matched.incoming.receive);
            if (open.listens) stretto_receives_open = stretto_receives_open - 1;
        }
    }
    if (open.matched.complete) {
        give_status(open.matched.status, status);
        return MPI_SUCCESS;
    }
    trace::Wait waiting;
    return finish_receive(open.matched.incoming, status);
}

void take_places() {
    for (Open &open : open_sends)
        if (open.send) open.send->take_place();
}

void check_all_ended() {
    check_all_collectives_ended();
    check_all_compiled_collectives_ended();
    if (open_sends.empty()) return;
    const Open &open = open_sends.front();
    if (open.fed)
        fail("MPI_Finalize",
             message::describe("to", open.dest, open.tag) + " has not been ended by the code that began it", open.site);
    fail("MPI_Finalize",
         message::describe("to", open.dest, open.tag) + " is an open delta send: MPIX_Delta_send_end is missing",
         open.site);
}

void check_place(int dest, int tag, MPI_Comm comm) {
    // A compiler knows of its own thread only; and of messages that several threads send MPI says nothing.
    if (const Open *open = find_open(dest, tag, comm); open && !open->fed)
        fail("MPI_Send",
             "a delta send to rank " + std::to_string(dest) + " with tag " + std::to_string(tag) +
                 " on this communicator is open, and another message must not come between its begin and its end",
             open->site);
}

} // namespace stretto::front

using namespace stretto;

volatile int stretto_sends_open = 0, stretto_receives_open = 0;

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC int MPIX_Delta_send_begin(const void *buf, int count, MPI_Datatype type, int dest, int tag,
                                         MPI_Comm comm, MPI_Request *request) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_begin", SITE);
    const front::RequestsBegun begun(call, 1, request);
    return front::send_begin(buf, count, type, dest, tag, comm, request, SITE);
}

STRETTO_PUBLIC int MPIX_Delta_send_end(MPI_Request *request) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end", SITE);
    return front::send_end(-1, request, SITE, "MPIX_Delta_send_end");
}

STRETTO_PUBLIC int MPIX_Delta_send_end_count(int count, MPI_Request *request) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end_count", SITE);
    if (count < 0) fail("MPIX_Delta_send_end_count", "a negative count", SITE);
    return front::send_end(count, request, SITE, "MPIX_Delta_send_end_count");
}

STRETTO_PUBLIC int MPIX_Delta_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                   MPI_Status *status) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_recv", SITE);
    return front::recv(buf, count, type, source, tag, comm, status, SITE);
}

STRETTO_PUBLIC int MPIX_Delta_recv_end(const void *buf, MPI_Status *status) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_recv_end", SITE);
    return front::recv_end(buf, status, SITE);
}

STRETTO_PUBLIC int MPIX_Delta_wait(MPI_Request *request, MPI_Status *status) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_wait", SITE);
    const front::RequestsAwaited awaited(call, 1, request);
    return front::active ? front::Wait(request, status) : mpi::library.Wait(request, status);
}

STRETTO_PUBLIC void stretto_send_data(const void *address, size_t bytes) {
    const front::Inside inside;
    const front::Within within(true);
    progress::Guard guard;
    if (const std::size_t outside = trigger::ready(address, bytes, SITE))
        fail("MPIX_Delta_send_data",
             std::to_string(outside) + " of " + std::to_string(bytes) + " bytes are in no open delta send", SITE);
}

STRETTO_PUBLIC void stretto_wait_data(const void *address, size_t bytes) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_wait_data", SITE);
    {
        progress::Guard guard;
        if (trigger::arrived(address, bytes)) return;
    }
    trace::Wait waiting;
    progress::until([&] { return trigger::arrived(address, bytes); });
}

#if MPI_VERSION >= 4
STRETTO_PUBLIC int MPIX_Delta_send_begin_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                           MPI_Comm comm, MPI_Request *request) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_begin_c", SITE);
    const front::RequestsBegun begun(call, 1, request);
    return front::send_begin(buf, count, type, dest, tag, comm, request, SITE);
}

STRETTO_PUBLIC int MPIX_Delta_send_end_count_c(MPI_Count count, MPI_Request *request) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end_count_c", SITE);
    if (count < 0) fail("MPIX_Delta_send_end_count_c", "a negative count", SITE);
    return front::send_end(count, request, SITE, "MPIX_Delta_send_end_count_c");
}

STRETTO_PUBLIC int MPIX_Delta_recv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                     MPI_Status *status) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_recv_c", SITE);
    return front::recv(buf, count, type, source, tag, comm, status, SITE);
}
#endif
}
