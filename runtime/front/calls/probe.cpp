// MPI_Probe, MPI_Iprobe and the matched probes (MPI 4.1, 3.8; docs/protocol, rule 9).
#include "front/arguments.h"
#include "front/calls/incoming.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "process/lasting.h"
#include "trace/counters.h"
#include "trace/timeline.h"

#include <cstring>
#include <unordered_map>

namespace stretto::front {

namespace probed = message::probed;

namespace {

std::uint64_t key(MPI_Message message) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &message, sizeof message);
    return bits;
}

// Matched messages that we have received already, by the handle that the program holds: that of an empty message to self.
struct Matched {
    probed::Message message;
    message::Envelope from;
    MPI_Request to_self; // the stand-in's send, which with MPICH is not complete before it is received
};
constinit Lasting<std::unordered_map<std::uint64_t, Matched>> matched;

MPI_Message stand_in(MPI_Request &request) {
    MPI_Message handle;
    int flag = 0;
    mpi::library.Isend(nullptr, 0, MPI_BYTE, 0, 0, mpi::job.self, &request);
    while (!flag) mpi::library.Improbe(0, 0, mpi::job.self, &flag, &handle, MPI_STATUS_IGNORE);
    return handle;
}

// It has done its work.
void drop_stand_in(MPI_Message *handle, MPI_Request &request) {
    mpi::library.Mrecv(nullptr, 0, MPI_BYTE, handle, MPI_STATUS_IGNORE);
    mpi::library.Wait(&request, MPI_STATUS_IGNORE);
}

// MPI_Improbe, under the lock.
bool match(const std::shared_ptr<mpi::Communicator> &comm, int source, int tag, MPI_Message *handle, MPI_Status *status,
           int &error) {
    probed::Message message;
    if (auto listed = probed::take(*comm, source, tag))
        message = std::move(*listed);
    else {
        int flag = 0;
        error = mpi::library.Improbe(source, tag, comm->handle, &flag, &message.handle, &message.status);
        if (error != MPI_SUCCESS || !flag) return false;
    }
    const bool is_message = message.received || (message.handle != MPI_MESSAGE_NO_PROC);
    if (is_message && !message.received && probed::may_be_framed(*comm, message.status))
        probed::receive(*comm, message);
    give_status(message.status, status);
    if (!message.received) {
        *handle = message.handle;
        return true;
    }
    stretto::count(Rule::matched_probe_framed, message.framed);
    MPI_Request to_self;
    *handle = stand_in(to_self);
    (*matched)[key(*handle)] = {std::move(message), {comm, source, tag}, to_self};
    return true;
}

} // namespace

namespace {

// What the library refuses. It need not tell us so: where the program's error handler returns, MPICH 5 says MPI_SUCCESS.
bool is_refused(int source, int tag, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || (tag < 0 && tag != MPI_ANY_TAG) || tag > mpi::job.tag_bound) return true;
    if (source == MPI_ANY_SOURCE || source == MPI_PROC_NULL) return false;
    return source < 0 || source >= ranks_of(comm);
}

} // namespace

int Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    const auto &c = mpi::communicator(comm);
    if (!c->may_meet_framed(source) && !probed::any()) return mpi::library.Iprobe(source, tag, comm, flag, status);
    MPI_Status its_status;
    bool found = false;
    const int error = probed::probe(*c, source, tag, found, its_status);
    *flag = found;
    if (found) {
        give_status(its_status, status);
        say_that_it_went_well(status);
    }
    return error;
}

int Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    if (is_refused(source, tag, comm)) return mpi::library.Probe(source, tag, comm, status);
    trace::Wait wait;
    int flag = 0, error = MPI_SUCCESS;
    progress::Patience patience;
    while (!flag && error == MPI_SUCCESS) {
        error = Iprobe(source, tag, comm, &flag, status);
        if (!flag) patience.pause();
    }
    return error;
}

int Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    int error = MPI_SUCCESS;
    *flag = match(mpi::communicator(comm), source, tag, message, status, error);
    return error;
}

int Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    if (is_refused(source, tag, comm)) return mpi::library.Mprobe(source, tag, comm, message, status);
    trace::Wait wait;
    int flag = 0, error = MPI_SUCCESS;
    progress::Patience patience;
    while (!flag && error == MPI_SUCCESS) {
        error = Improbe(source, tag, comm, &flag, message, status);
        if (!flag) patience.pause();
    }
    return error;
}

namespace {

message::Returns returns_of(MPI_Message message, MPI_Count count, MPI_Datatype type) {
    if (!Use::receives_somewhere) return message::Returns::complete;
    std::shared_ptr<mpi::Communicator> comm;
    {
        progress::Guard guard;
        const auto at = matched->find(key(message));
        if (at == matched->end()) return message::Returns::complete;
        comm = at->second.from.comm;
    }
    return front::returns(*comm, count, type);
}

} // namespace

int Mrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    trace::Wait wait;
    const message::Returns when = returns_of(*message, count, type);
    Incoming incoming;
    {
        progress::Guard guard;
        enter();
        const auto at = matched->find(key(*message));
        // A message that was not received by the probe is a plain one.
        if (at == matched->end())
            incoming.error = native::imrecv(buf, count, type, message, &incoming.native);
        else {
            drop_stand_in(message, at->second.to_self);
            incoming = serve(std::move(at->second.message), buf, count, type, at->second.from, call_site(when), when);
            matched->erase(at);
        }
    }
    return finish_receive(incoming, status);
}

int Imrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    const message::Returns when = returns_of(*message, count, type);
    progress::Guard guard;
    enter();
    const auto at = matched->find(key(*message));
    if (at == matched->end()) return native::imrecv(buf, count, type, message, request);
    drop_stand_in(message, at->second.to_self);
    Operation &operation = new_operation();
    operation.receive =
        serve(std::move(at->second.message), buf, count, type, at->second.from, call_site(when), when).receive;
    matched->erase(at);
    *request = operation.handle;
    return MPI_SUCCESS;
}

} // namespace stretto::front
