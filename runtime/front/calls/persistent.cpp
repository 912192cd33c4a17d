// Persistent sends and receives (MPI 4.1, 3.9). The library's own persistent request is the handle; whether it is started, or a framed
// message stands for it, is decided at each start.
#include "front/arguments.h"
#include "front/calls/incoming.h"
#include "front/calls/outgoing.h"
#include "front/enter.h"
#include "front/handled.h"
#include "pages/memory.h"
#include "trace/counters.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace stretto::front {

using native::Mode;

namespace {

// What a start of the library's own will use: no argument of MPI_Start tells.
struct Memory {
    Range addresses;
    bool written;
    int peer;
    MPI_Comm comm;
};
constinit mpi::RequestTable<Memory> memories;

void remember_memory(MPI_Request request, Memory memory) {
    if (Memory *const before = memories.find(request))
        *before = memory;
    else
        memories.enter(request, *new Memory(memory));
}

// Of a request that is none of ours (a collective, a partitioned one) nothing is known.
void settle_started(MPI_Request request) {
    if (!progress::tasks) return;
    std::optional<Memory> memory;
    {
        const progress::Guard guard;
        if (const Memory *const known = memories.find(request)) memory = *known;
    }
    if (!memory)
        settle_everything(true);
    else if (!memory->addresses.empty())
        settle_bytes(pages::pointer(memory->addresses.begin), memory->addresses.bytes(), memory->written);
}

// Keep what a start needs, where a framed message can come of it.
void remember(MPI_Request request, bool is_send, Mode mode, const void *buf, MPI_Count count, MPI_Datatype type,
              int rank, int tag, MPI_Comm comm) {
    remember_memory(request, {memory_of(buf, count, type), !is_send, rank, comm});
    const auto &c = mpi::communicator(comm);
    if (is_send ? !c->framing_peer(rank) : !c->may_meet_framed(rank)) return;
    const std::size_t bytes = count > 0 ? static_cast<std::size_t>(count) * mpi::type_map(type).bytes() : 0;
    // A receive too small for a header may still find its message in the probed list.
    if (is_send && bytes < message::header_bytes) return;
    Operation &operation = new_operation(request);
    operation.active = false;
    operation.persistent.reset(
        new Operation::Persistent{is_send, mode, buf, count, type, {c, rank, tag}, callers_own()});
}

int init_send(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
    progress::Guard guard;
    enter();
    MPI_Request made = MPI_REQUEST_NULL;
    const int error = native::send_init(mode, buf, count, type, dest, tag, comm, &made);
    if (made == MPI_REQUEST_NULL)
        return error; // MPI_SUCCESS too, with MPICH 5, where a handler of the program's was told
    *request = made;
    remember(made, true, mode, buf, count, type, dest, tag, comm);
    return error;
}

int start_natively(MPI_Request *request) {
    wait_for_matches();
    settle_started(*request);
    progress::Guard guard;
    enter();
    return mpi::library.Start(request);
}

int start_send(Operation &operation) {
    const Operation::Persistent &p = *operation.persistent;
    if (operation.begun) {
        operation.begun = false;
        operation.active = true;
        operation.sent_natively = false;
        return MPI_SUCCESS;
    }
    settle_started(operation.handle);
    {
        progress::Guard guard;
        enter();
        message::Send *framed =
            frame(p.mode, p.buf, p.count, p.type, p.envelope.rank, p.envelope.tag, p.envelope.comm->handle);
        operation.active = true;
        operation.sent_natively = !framed;
        if (framed) {
            stretto::count(Rule::persistent_framed);
            if (p.mode == Mode::buffered)
                framed->release();
            else
                operation.send = framed;
            return MPI_SUCCESS;
        }
    }
    operation.native_send = operation.handle;
    return start_natively(&operation.native_send);
}

int start_receive(Operation &operation) {
    const Operation::Persistent &p = *operation.persistent;
    const auto &[comm, source, tag] = p.envelope;
    const message::Returns when = returns(comm->handle, source, tag, p.count, p.type);
    settle_before(when, p.buf, p.count, p.type);
    progress::Guard guard;
    enter();
    operation.active = true;
    const Incoming incoming = begin_receive(const_cast<void *>(p.buf), p.count, p.type, source, tag, comm->handle,
                                            p.site, when, operation.handle);
    operation.receive = incoming.receive;
    if (incoming.error == MPI_SUCCESS && !incoming.receive) operation.receive = look_after(incoming.native, p.envelope);
    return incoming.error;
}

int start_collective(Operation &operation) {
    auto &collective = static_cast<Scheduled &>(*operation.collective); // no other is persistent
    collective.prepare();
    progress::Guard guard;
    enter();
    operation.active = true;
    collective.start();
    return MPI_SUCCESS;
}

} // namespace

void forget_memory(MPI_Request request) {
    Memory *const memory = memories.find(request);
    if (!memory) return;
    memories.erase(request);
    delete memory;
}

Operation *to_be_started(const void *buf, int count, const MPI_Request requests[]) {
    std::vector<const Memory *> before;
    for (int k = 0; k < count; k++) {
        const Memory *const memory = memories.find(requests[k]);
        if (!memory) return nullptr;
        if (memory->written) continue; // a receive
        Operation *const operation = operations.find(requests[k]);
        if (operation && operation->begun) continue;
        const bool is_it = operation && operation->persistent && !operation->active &&
                           operation->persistent->mode == Mode::standard && operation->persistent->buf == buf;
        if (is_it)
            return std::any_of(
                       before.begin(), before.end(),
                       [&](const Memory *other) { return other->peer == memory->peer && other->comm == memory->comm; })
                       ? nullptr
                       : operation;
        before.push_back(memory);
    }
    return nullptr;
}

namespace {

int start(MPI_Request *request) {
    Operation *operation;
    {
        progress::Guard guard;
        operation = operations.find(*request);
    }
    if (operation && operation->collective) return start_collective(*operation);
    if (operation && operation->partitioned) return operation->partitioned->start();
    if (!operation || !operation->persistent) return start_natively(request);
    return operation->persistent->is_send ? start_send(*operation) : start_receive(*operation);
}

} // namespace

int Send_init(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return init_send(Mode::standard, buf, count, type, dest, tag, comm, request);
}
int Bsend_init(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request) {
    return init_send(Mode::buffered, buf, count, type, dest, tag, comm, request);
}
int Ssend_init(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request) {
    return init_send(Mode::synchronous, buf, count, type, dest, tag, comm, request);
}
int Rsend_init(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request) {
    return init_send(Mode::ready, buf, count, type, dest, tag, comm, request);
}

int Recv_init(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
    progress::Guard guard;
    enter();
    MPI_Request made = MPI_REQUEST_NULL;
    const int error = native::recv_init(buf, count, type, source, tag, comm, &made);
    if (made == MPI_REQUEST_NULL) return error;
    *request = made;
    remember(made, false, Mode::standard, buf, count, type, source, tag, comm);
    return error;
}

int Start(MPI_Request *request) {
    return start(request);
}

int Startall(int count, MPI_Request requests[]) {
    for (int k = 0; k < count; k++)
        if (const int error = start(&requests[k]); error != MPI_SUCCESS) return error;
    return MPI_SUCCESS;
}

} // namespace stretto::front
