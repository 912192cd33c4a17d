// MPI_Recv and MPI_Irecv (MPI 4.1, 3.2.4 and 3.7.2).
#include "front/arguments.h"
#include "front/calls/incoming.h"
#include "front/calls/waiting.h"
#include "front/calls/window.h"
#include "front/enter.h"
#include "front/handled.h"
#include "mpi/committed.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/timeline.h"

#include <algorithm>

namespace stretto::front {

using message::Receive;
using message::Returns;

namespace {

std::size_t capacity(MPI_Count count, MPI_Datatype type) {
    if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
    return static_cast<std::size_t>(count) * mpi::type_map(type).bytes();
}

void watch(Receive &receive, MPI_Request native) {
    stretto::count(Rule::receive_tracked);
    receive.watch(native);
    message::posted::add(receive);
}

} // namespace

Receive *track(MPI_Request native, const mpi::TypedBuffer &buffer, const message::Envelope &from, CallSite site,
               Returns returns) {
    auto *receive = new Receive(buffer, from, site, returns);
    watch(*receive, native);
    return receive;
}

Receive *look_after(MPI_Request native, const message::Envelope &from) {
    auto *receive = new Receive({}, from);
    receive->watch(native);
    return receive;
}

[[gnu::hot]] bool may_be_framed(const mpi::Communicator &comm, int source, MPI_Count count, MPI_Datatype type) {
    return comm.may_meet_framed(source) && capacity(count, type) >= message::header_bytes;
}

bool may_come_in_parts(MPI_Count count, MPI_Datatype type) {
    return capacity(count, type) >= message::least_total;
}

// In a function that MPI has called nobody else brings what is missing.
bool is_called_back() {
    return depth > 1;
}

Returns returns(const mpi::Communicator &comm, MPI_Count count, MPI_Datatype type) {
    if (!comm.use.receives || is_called_back()) return Returns::complete;
    {
        progress::Guard guard;
        if (!may_come_in_parts(count, type)) return Returns::complete;
    }
    start_pages();
    return Returns::released;
}

// Rule 12: from whom it comes is known, others cannot change our memory, and nothing but addresses is needed to put the message there. What
// another thread sends meanwhile might be what the sender waits for: it must not be held back.
bool may_precede_its_match(const mpi::Communicator &comm, int source, int tag, MPI_Count count, MPI_Datatype type) {
    if (!settings.unmatched || windows || progress::Guard::multiple || source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
        return false;
    const mpi::Peer *peer = comm.framing_peer(source);
    const mpi::TypeMap &map = mpi::type_map(type);
    return peer && peer->frames_plain && map.known() && map.contiguous() &&
           tune::lets_run_on(callers_own(), capacity(count, type), peer->rate);
}

Returns returns(MPI_Comm comm, int source, int tag, MPI_Count count, MPI_Datatype type, bool status_asked) {
    if (!Use::receives_somewhere || is_called_back()) return Returns::complete;
    bool unmatched;
    {
        progress::Guard guard;
        const mpi::Communicator &c = *mpi::communicator(comm);
        if (!c.use.receives || !c.may_meet_framed(source) || !may_come_in_parts(count, type)) return Returns::complete;
        unmatched = !status_asked && may_precede_its_match(c, source, tag, count, type);
    }
    start_pages();
    return unmatched ? Returns::unmatched : Returns::released;
}

// One that is posted apart comes in once the buffer's last message has; one out of the probed list is not posted apart.
void settle_before(Returns when, const void *buf, MPI_Count count, MPI_Datatype type) {
    if (progress::tasks && (when != Returns::unmatched || message::probed::any())) settle(buf, count, type, true);
}

CallSite call_site(Returns when) {
    return when == Returns::complete ? caller : callers_own();
}

bool nothing_under_way() {
    return progress::may_block() && !message::probed::any();
}

mpi::TypedBuffer receive_buffer(void *buf, MPI_Count count, MPI_Datatype type) {
    return {buf, count, type == MPI_PACKED ? MPI_BYTE : type};
}

Incoming serve(message::probed::Message &&message, void *buf, MPI_Count count, MPI_Datatype type,
               const message::Envelope &from, CallSite site, Returns returns) {
    stretto::count(Rule::list_served);
    Incoming incoming;
    if (message.received) {
        incoming.receive = new Receive(receive_buffer(buf, count, type), from, site, returns);
        incoming.receive->first_listed(message.bytes.data(), message.bytes.size(), message.framed, message.status);
        return incoming;
    }
    const bool tracked = may_be_framed(*from.comm, message.status.MPI_SOURCE, count, type);
    incoming.error = native::imrecv(buf, count, type, &message.handle, &incoming.native);
    if (incoming.error == MPI_SUCCESS && tracked)
        incoming.receive = track(incoming.native, receive_buffer(buf, count, type), from, site, returns);
    return incoming;
}

namespace {

// Where the program's buffer will be closed before anything has come.
Incoming begin_apart(void *buf, MPI_Count count, MPI_Datatype type, const message::Envelope &from, CallSite site) {
    Incoming incoming;
    incoming.receive = new Receive(receive_buffer(buf, count, type), from, site, Returns::unmatched);
    std::byte *const apart = incoming.receive->set_apart();
    {
        const report::InLibrary not_ours;
        incoming.error = native::irecv(apart, static_cast<MPI_Count>(capacity(count, type)), MPI_BYTE, from.rank,
                                       from.tag, from.comm->handle, &incoming.native);
    }
    if (incoming.error == MPI_SUCCESS) {
        watch(*incoming.receive, incoming.native);
        return incoming;
    }
    delete incoming.receive;
    return {.error = incoming.error};
}

} // namespace

Incoming begin_receive(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, CallSite site,
                       Returns returns, MPI_Request persistent) {
    const report::Cost cost(report::current);
    const auto &c = mpi::communicator(comm);
    if (message::probed::any())
        if (auto message = message::probed::take(*c, source, tag))
            return serve(std::move(*message), buf, count, type, {c, source, tag}, site, returns);
    const bool is_sound = returns == Returns::unmatched && buf && mpi::is_committed(type);
    if (is_sound && !mpi::in_device_memory(buf, count, type))
        return begin_apart(buf, count, type, {c, source, tag}, site);
    Incoming incoming;
    incoming.native = persistent;
    {
        const report::InLibrary not_ours;
        incoming.error = persistent == MPI_REQUEST_NULL
                             ? native::irecv(buf, count, type, source, tag, comm, &incoming.native)
                             : mpi::library.Start(&incoming.native);
    }
    if (incoming.error == MPI_SUCCESS && may_be_framed(*c, source, count, type))
        incoming.receive = track(incoming.native, receive_buffer(buf, count, type), {c, source, tag}, site, returns);
    return incoming;
}

int finish_receive(Incoming &incoming, MPI_Status *status) {
    if (incoming.error != MPI_SUCCESS) return incoming.error;
    if (!incoming.receive) return NativeRequest(incoming.native, status).wait();
    Operation operation; // for its ways to look and to finish; it has no handle
    operation.receive = incoming.receive;
    const bool unmatched = status == MPI_STATUS_IGNORE;
    progress::until([&] { return operation.look_or_release(unmatched); },
                    [&] { return wait_natively(operation, unmatched); });
    progress::Guard guard;
    return operation.finish_receive(status);
}

namespace {

void report_native(const MPI_Status &status) {
    if (!report::current) [[likely]]
        return;
    int bytes = 0;
    mpi::library.Get_count(&status, MPI_BYTE, &bytes);
    report::matched(report::current);
    report::message(report::current, report::Fate::receive_native, static_cast<std::size_t>(std::max(bytes, 0)));
}

} // namespace

[[gnu::hot]] int finish_waited(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                               int error, const MPI_Status &its_status, MPI_Status *status, Returns when) {
    const auto &c = mpi::communicator(comm);
    if (error != MPI_SUCCESS || !message::probed::may_be_framed(*c, its_status)) {
        report_native(its_status);
        give_status(its_status, status);
        return error;
    }
    Incoming incoming;
    incoming.receive = new Receive(receive_buffer(buf, count, type), {c, source, tag}, call_site(when), when);
    {
        progress::Guard guard;
        incoming.receive->first_came(its_status, error);
    }
    return finish_receive(incoming, status);
}

[[gnu::hot]] int Recv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Status *status) {
    trace::Wait wait;
    // Returns at once; MPICH 4.0's non-blocking form gives another status.
    if (source == MPI_PROC_NULL) return native::recv(buf, count, type, source, tag, comm, status);
    const Returns when = returns(comm, source, tag, count, type, status != MPI_STATUS_IGNORE);
    if (nothing_under_way() && when != Returns::unmatched) {
        const auto &c = mpi::communicator(comm);
        if (!may_be_framed(*c, source, count, type)) return native::recv(buf, count, type, source, tag, comm, status);
        MPI_Status its_status;
        stretto::count(Rule::receive_tracked);
        const int error = native::recv(buf, count, type, source, tag, comm, &its_status);
        return finish_waited(buf, count, type, source, tag, comm, error, its_status, status, when);
    }
    Incoming incoming;
    {
        progress::Guard guard;
        enter();
        incoming = begin_receive(buf, count, type, source, tag, comm, call_site(when), when);
    }
    return finish_receive(incoming, status);
}

int Irecv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
    const Returns when = returns(comm, source, tag, count, type);
    settle_before(when, buf, count, type);
    progress::Guard guard;
    enter();
    const Incoming incoming = begin_receive(buf, count, type, source, tag, comm, call_site(when), when);
    if (incoming.error != MPI_SUCCESS) return incoming.error;
    if (!incoming.receive) {
        *request = incoming.native;
        return MPI_SUCCESS;
    }
    Operation &operation = new_operation();
    operation.receive = incoming.receive;
    *request = operation.handle;
    return MPI_SUCCESS;
}

} // namespace stretto::front
