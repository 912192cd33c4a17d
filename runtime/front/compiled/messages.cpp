// What a compiler calls (include/stretto/abi.h): a loop that fills a message, or reads one, says how far it is (Bao et al. 2012, II.B.2;
// Danalis et al. 2005, 4.2).
#include "front/compiled/compiled.h"

#include "front/arguments.h"
#include "front/calls/requests.h"
#include "front/calls/waiting.h"
#include "front/delta/delta.h"
#include "front/delta/fed.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "pages/memory.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/source.h"
#include "trace/timeline.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

namespace stretto::front {

namespace {

class FedSend : public Fed {
public:
    FedSend(message::Send &send, MPI_Request request)
        : Fed(pages::addresses_of(send.memory().data(), send.memory().size())), request(request), send(send) {}

    void say(Range range, CallSite here) override {
        if (is_held || elsewhere.keeps(range)) return;
        const progress::Guard guard;
        send.ready(range, here);
        for (const Range said : elsewhere.take()) send.ready(said, here);
    }
    void hold() override { is_held = true; }
    std::size_t strip() const override { return is_held ? SIZE_MAX : strip_of(send.delta_bytes()); }

    MPI_Request request;

private:
    message::Send &send;
    bool is_held = false;
    Elsewhere elsewhere;
};

//! \brief Of a persistent send, which takes it over when it is started.
class FedStart final : public FedSend {
public:
    FedStart(Operation &operation, message::Send &send, MPI_Request ticket)
        : FedSend(send, ticket), operation(operation) {}
    Operation &operation;
};

//! \brief A receive of which something is still to come; or none, and why.
class FedReceive : public Fed {
public:
    void say(Range range, CallSite) override {
        if (is_here) return;
        const auto has_come = [&] {
            is_here = receive->look_at_first() && receive->is_complete();
            return is_here || receive->arrived(range);
        };
        {
            const progress::Guard guard;
            if (has_come()) return;
        }
        const trace::Wait waiting;
        progress::until(has_come);
    }
    void hold() override {
        if (receive) say({0, addresses().bytes()}, nullptr);
    }
    std::size_t strip() const override {
        if (!receive) return SIZE_MAX;
        if (receive->where() == message::Receive::State::posted) return before_the_first;
        const std::size_t delta = receive->delta_bytes();
        return delta ? strip_of(delta) : SIZE_MAX; // it comes whole
    }

    virtual int end(MPI_Status *status) = 0;

    const int error;
    const std::size_t index; //!< of its status, where the program has an array of them

protected:
    FedReceive(message::Receive *receive, int error, std::size_t index)
        : Fed(receive ? memory_of(*receive) : Range()), error(error), index(index), receive(receive) {}

private:
    // Of a strip, as long as nobody knows whether it comes by parts: a thousandth of the time that its loop takes, at most.
    static constexpr std::size_t before_the_first = 16384;

    static Range memory_of(const message::Receive &receive) {
        const std::span<const std::byte> memory = receive.buffer().memory();
        return pages::addresses_of(memory.data(), memory.size());
    }

    message::Receive *receive;
    bool is_here = false; // all of it
};

//! \brief Of MPI_Recv.
class FedRecv final : public FedReceive {
public:
    FedRecv(const Matched &matched, int error)
        : FedReceive(error == MPI_SUCCESS && !matched.complete ? matched.incoming.receive : nullptr, error, 0),
          matched(matched) {}

    int end(MPI_Status *status) override {
        return error != MPI_SUCCESS ? error : finish_receive(matched.incoming, status);
    }

private:
    Matched matched;
};

//! \brief Of MPI_Irecv, taken out of the requests that the program waits for.
class FedIrecv final : public FedReceive {
public:
    FedIrecv(Operation &operation, MPI_Request request, std::size_t index)
        : FedReceive(operation.receive, MPI_SUCCESS, index), operation(operation), request(request) {}

    int end(MPI_Status *status) override {
        progress::until([&] { return operation.look(); }, [&] { return wait_natively(operation, false); });
        const progress::Guard guard;
        return operation.finish(&request, status);
    }

private:
    Operation &operation;
    MPI_Request request;
};

// The one of these requests that is a receive into this memory.
std::size_t find_receive(const void *buf, int count, const MPI_Request requests[]) {
    std::size_t k = 0;
    for (; k < static_cast<std::size_t>(count); k++) {
        const Operation *operation = operations.find(requests[k]);
        if (!operation || !operation->active || !operation->receive) continue;
        if (operation->send || operation->native_send != MPI_REQUEST_NULL) continue; // both of MPI_Isendrecv
        const mpi::TypedBuffer &buffer = operation->receive->buffer();
        if (!buffer.empty() && buffer.memory().data() == buf) break;
    }
    return k;
}

} // namespace

bool is_known(stretto_call *call, CallSite site) {
    if (call->known) [[likely]]
        return true;
    if (call->version > STRETTO_ABI_VERSION) return false; // a later Stretto's: plain MPI is always right
    const progress::Guard guard;
    if (call->file)
        source::known(site, {call->function ? call->function : "", call->file + (":" + std::to_string(call->line))});
    call->known = site;
    return true;
}

stretto_handle compiled_send_begin(stretto_call *call, const void *buf, MPI_Count count, MPI_Datatype type, int dest,
                                   int tag, MPI_Comm comm, CallSite site) {
    if (!active || !is_known(call, site)) return 0;
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, "MPI_Send", site);
    MPI_Request request = MPI_REQUEST_NULL;
    message::Send *send = begin_fed(buf, count, type, dest, tag, comm, &request, site);
    if (!send) return 0;
    stretto::count(Rule::compiled_send);
    if (call->flags & STRETTO_CALL_CHECKED) send->check();
    return handle_of(new FedSend(*send, request));
}

int compiled_send_end(stretto_handle handle, MPI_Request *request, CallSite site) {
    const std::unique_ptr<FedSend> send(static_cast<FedSend *>(fed(handle)));
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, request ? "MPI_Isend" : "MPI_Send", site);
    const RequestsBegun begun(reported, request ? 1 : 0, request);
    const int error = send_end(-1, &send->request, site, "MPI_Send");
    if (request) *request = send->request;
    if (error != MPI_SUCCESS || request) return error;
    return Wait(&send->request, MPI_STATUS_IGNORE);
}

stretto_handle compiled_start_begin(stretto_call *call, const void *buf, int count, const MPI_Request requests[],
                                    CallSite site) {
    if (!active || !buf || count <= 0 || operations.size() == 0 || !is_known(call, site)) return 0;
    const Inside inside;
    const Within within(true);
    Operation *operation;
    {
        const progress::Guard guard;
        operation = to_be_started(buf, count, requests);
    }
    if (!operation) return 0;
    const report::Call reported(depth == 1, "MPI_Start", site);
    const Operation::Persistent &p = *operation->persistent;
    MPI_Request ticket = MPI_REQUEST_NULL;
    message::Send *send =
        begin_fed(p.buf, p.count, p.type, p.envelope.rank, p.envelope.tag, p.envelope.comm->handle, &ticket, site);
    if (!send) return 0;
    stretto::count(Rule::compiled_send);
    if (call->flags & STRETTO_CALL_CHECKED) send->check();
    operation->begun = true;
    return handle_of(new FedStart(*operation, *send, ticket));
}

void compiled_start_end(stretto_handle handle, CallSite site) {
    const std::unique_ptr<FedStart> start(static_cast<FedStart *>(fed(handle)));
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, "MPI_Start", site);
    send_end(-1, &start->request, site, "MPI_Start");
    const progress::Guard guard;
    Operation *const ticket = operations.find(start->request);
    start->operation.send = ticket->send;
    operations.erase(start->request);
    mpi::give_back(start->request);
    delete ticket;
}

stretto_handle compiled_recv_begin(stretto_call *call, void *buf, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Status *status, CallSite site) {
    const Inside inside;
    const Within within(true);
    caller = site;
    const report::Call reported(depth == 1, "MPI_Recv", site);
    if (progress::tasks) settle_list(status, 1, true);
    Matched matched;
    int error;
    if (!active || (is_known(call, site) && comm != MPI_COMM_NULL && listens_to_annotations(trigger_on(comm))))
        error = match(buf, count, type, source, tag, comm, tune::Release::annotated, site, matched);
    else {
        if (progress::tasks) settle(buf, count, type, true);
        error = Recv(buf, count, type, source, tag, comm, &matched.status);
    }
    if (error == MPI_SUCCESS && matched.complete) {
        give_status(matched.status, status);
        return 0;
    }
    if (error == MPI_SUCCESS) stretto::count(Rule::compiled_receive);
    return handle_of(new FedRecv(matched, error));
}

stretto_handle compiled_wait_begin(stretto_call *call, const void *buf, int count, MPI_Request requests[],
                                   CallSite site, Sender sender) {
    if (!active || !buf || count <= 0 || operations.size() == 0 || !is_known(call, site)) return 0;
    const Inside inside;
    const Within within(true);
    Operation *operation = nullptr;
    std::size_t index = 0;
    {
        const progress::Guard guard;
        index = find_receive(buf, count, requests);
        if (index == static_cast<std::size_t>(count)) return 0;
        operation = operations.find(requests[index]);
        if (!listens_to_annotations(operation->receive->envelope().comm->says_what_is_final())) return 0;
        enter();
    }
    const report::Call reported(depth == 1, "MPI_Wait", site);
    const RequestsAwaited awaited(reported, 1, &requests[index]);
    const trace::Wait waiting;
    message::Receive &receive = *operation->receive;
    // A wait tells that the message was sent: the program may rely on that, and read other memory that the sender wrote before.
    if (operation->persistent || sender == Sender::unknown) progress::until([&] { return receive.look_at_first(); });
    {
        const progress::Guard guard;
        const bool first_is_here = receive.look_at_first();
        // What has come, what failed, and what may be guarded is left to the call behind us.
        if (receive.when() != message::Returns::complete) return 0;
        if (first_is_here && (receive.where() != message::Receive::State::deltas || receive.error() != MPI_SUCCESS))
            return 0;
    }
    stretto::count(Rule::compiled_receive);
    auto *const fed = new FedIrecv(*operation, requests[index], index);
    if (operation->persistent)
        operation->active = false; // so it is for the wait; the library knows its request to be inactive, too
    else
        requests[index] = MPI_REQUEST_NULL;
    return handle_of(fed);
}

int compiled_recv_error(stretto_handle handle) {
    return handle ? static_cast<FedReceive *>(fed(handle))->error : MPI_SUCCESS;
}

std::size_t compiled_recv_index(stretto_handle handle) {
    return static_cast<FedReceive *>(fed(handle))->index;
}

int compiled_recv_end(stretto_handle handle, MPI_Status *status, CallSite site) {
    if (!handle) return MPI_SUCCESS;
    const std::unique_ptr<FedReceive> receive(static_cast<FedReceive *>(fed(handle)));
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, "MPI_Recv", site);
    if (progress::tasks) settle_list(status, 1, true);
    const trace::Wait waiting;
    return receive->end(status);
}

} // namespace stretto::front

using namespace stretto;

#define SITE __builtin_return_address(0)

namespace {

// Within one call of the program's, unless the operation makes such calls itself.
template <class Say>
void tell(stretto_handle handle, Say say) {
    if (!handle) return;
    front::Fed &operation = *front::fed(handle);
    if (operation.calls_as_the_program()) return say(operation);
    const front::Inside inside;
    const front::Within within(true);
    say(operation);
}

} // namespace

extern "C" {

STRETTO_PUBLIC stretto_handle stretto_send_begin(stretto_call *call, const void *buf, int count, MPI_Datatype type,
                                                 int dest, int tag, MPI_Comm comm) {
    return front::compiled_send_begin(call, buf, count, type, dest, tag, comm, SITE);
}

// Of handle 0 a call in tail position: MPI's own, as if the program had made it.
STRETTO_PUBLIC int stretto_send_end(stretto_handle handle, stretto_call *, const void *buf, int count,
                                    MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    if (!handle) return MPI_Send(buf, count, type, dest, tag, comm);
    return front::compiled_send_end(handle, nullptr, SITE);
}

STRETTO_PUBLIC int stretto_isend_end(stretto_handle handle, stretto_call *, const void *buf, int count,
                                     MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
    if (!handle) return MPI_Isend(buf, count, type, dest, tag, comm, request);
    return front::compiled_send_end(handle, request, SITE);
}

STRETTO_PUBLIC stretto_handle stretto_start_begin(stretto_call *call, const void *buf, int count,
                                                  const MPI_Request requests[]) {
    return front::compiled_start_begin(call, buf, count, requests, SITE);
}

STRETTO_PUBLIC void stretto_start_end(stretto_handle handle) {
    if (handle) front::compiled_start_end(handle, SITE);
}

STRETTO_PUBLIC stretto_handle stretto_recv_begin(stretto_call *call, void *buf, int count, MPI_Datatype type,
                                                 int source, int tag, MPI_Comm comm, MPI_Status *status) {
    mpi::require();
    return front::compiled_recv_begin(call, buf, count, type, source, tag, comm, status, SITE);
}

STRETTO_PUBLIC int stretto_recv_error(stretto_handle handle) {
    return front::compiled_recv_error(handle);
}

STRETTO_PUBLIC int stretto_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                 MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Irecv(buf, count, type, source, tag, comm, request);
}

STRETTO_PUBLIC stretto_handle stretto_wait_begin(stretto_call *call, const void *buf, int count,
                                                 MPI_Request requests[]) {
    return front::compiled_wait_begin(call, buf, count, requests, SITE);
}

STRETTO_PUBLIC int stretto_recv_end(stretto_handle handle, MPI_Status *status) {
    if (handle && status != MPI_STATUS_IGNORE && status != MPI_STATUSES_IGNORE)
        status += front::compiled_recv_index(handle);
    return front::compiled_recv_end(handle, status, SITE);
}

STRETTO_PUBLIC void stretto_ready(stretto_handle handle, const void *buf, int64_t low, int64_t high) {
    tell(handle, [&, site = SITE](front::Fed &operation) { operation.say(buf, low, high, site); });
}

STRETTO_PUBLIC void stretto_ready_below(stretto_handle handle, const void *buf, int64_t high) {
    tell(handle, [&, site = SITE](front::Fed &operation) { operation.say_below(buf, high, site); });
}

STRETTO_PUBLIC void stretto_ready_above(stretto_handle handle, const void *buf, int64_t low) {
    tell(handle, [&, site = SITE](front::Fed &operation) { operation.say_above(buf, low, site); });
}

STRETTO_PUBLIC void stretto_ready_blocks(stretto_handle handle, const void *buf, int64_t low, int64_t high,
                                         int64_t stride, int64_t count) {
    tell(handle, [&, site = SITE](front::Fed &operation) {
        for (int64_t k = 0; k < count; k++) operation.say(buf, low + k * stride, high + k * stride, site);
    });
}

STRETTO_PUBLIC void stretto_need_blocks(stretto_handle handle, void *buf, int64_t low, int64_t high, int64_t stride,
                                        int64_t count) __attribute__((alias("stretto_ready_blocks")));
STRETTO_PUBLIC void stretto_need(stretto_handle handle, void *buf, int64_t low, int64_t high)
    __attribute__((alias("stretto_ready")));
STRETTO_PUBLIC void stretto_need_below(stretto_handle handle, void *buf, int64_t high)
    __attribute__((alias("stretto_ready_below")));
STRETTO_PUBLIC void stretto_need_above(stretto_handle handle, void *buf, int64_t low)
    __attribute__((alias("stretto_ready_above")));

STRETTO_PUBLIC int64_t stretto_strip(stretto_handle handle) {
    const std::size_t bytes = handle ? front::fed(handle)->strip() : SIZE_MAX;
    return bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
}

STRETTO_PUBLIC void stretto_hold_unless(stretto_handle handle, void *, int32_t ok) {
    if (!ok) tell(handle, [](front::Fed &operation) { operation.hold(); });
}

STRETTO_PUBLIC void stretto_hold_if_overlap(stretto_handle handle, void *buf, const void *low, const void *high) {
    if (!handle || low >= high) return;
    const auto bytes = static_cast<std::size_t>(static_cast<const char *>(high) - static_cast<const char *>(low));
    stretto_hold_unless(handle, buf, !front::fed(handle)->meets(pages::addresses_of(low, bytes)));
}

STRETTO_PUBLIC void stretto_hold_if_other_overlaps(stretto_handle handle, void *buf, const void *low,
                                                   const void *high) {
    if (!handle || low >= high) return;
    const auto bytes = static_cast<std::size_t>(static_cast<const char *>(high) - static_cast<const char *>(low));
    stretto_hold_unless(handle, buf, !front::fed(handle)->other_meets(pages::addresses_of(low, bytes)));
}
}
