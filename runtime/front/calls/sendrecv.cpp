// MPI_Sendrecv and its kin: a send and a receive at once (MPI 4.1, 3.10; docs/protocol, rule 16).
#include "front/calls/incoming.h"
#include "front/calls/outgoing.h"
#include "front/calls/waiting.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/system/pages.h"
#include "mpi/committed.h"
#include "trace/counters.h"
#include "trace/timeline.h"

namespace stretto::front {

using native::Mode;

namespace {

// The two halves under way: they are one operation, also when it is a blocking one without a request.
struct Both {
    message::Send *send = nullptr;
    MPI_Request native_send = MPI_REQUEST_NULL;
    Incoming incoming;
    message::Envelope from{};
    int error = MPI_SUCCESS;
    bool is_refused = false; // also where MPICH 5 says MPI_SUCCESS, as a handler of the program's was told
};

// May the library take such a send?
bool is_sound(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || count < 0 || type == MPI_DATATYPE_NULL || tag < 0 || tag > mpi::job.tag_bound)
        return false;
    const progress::Guard guard;
    const mpi::Communicator &c = *mpi::communicator(comm);
    const bool is_there = dest == MPI_PROC_NULL || (dest >= 0 && (dest < c.size() || c.peers.empty()));
    return is_there && mpi::is_committed(type) && (buf || count == 0 || !mpi::type_map(type).contiguous());
}

// The send was refused all the same, so nothing is to be received either. What has come already is gone: nobody can give it back.
void take_back(Incoming &incoming) {
    message::Receive *const receive = incoming.receive;
    MPI_Request native = receive ? receive->native() : incoming.native;
    if (receive && receive->where() != message::Receive::State::posted) {
        receive->abandon();
        return;
    }
    delete receive;
    mpi::library.Cancel(&native);
    mpi::library.Wait(&native, MPI_STATUS_IGNORE);
}

// The receive comes first: what its peer sends need not wait for us.
Both begin(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
           MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, message::Returns when) {
    Both both;
    // What the library refuses it refuses before anything is received.
    const bool send_first = !is_sound(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    if (send_first) {
        const Alone alone;
        both.error =
            native::isend(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm, &both.native_send);
        both.is_refused = both.native_send == MPI_REQUEST_NULL;
        if (both.error != MPI_SUCCESS || both.is_refused) return both;
    }
    {
        progress::Guard guard;
        enter();
        stretto::count(Rule::sendrecv_looped);
        both.from = {mpi::communicator(comm), source, recvtag};
        both.incoming = begin_receive(recvbuf, recvcount, recvtype, source, recvtag, comm, call_site(when), when);
        if ((both.error = both.incoming.error) != MPI_SUCCESS) return both;
        if (send_first) return both;
        both.send = frame(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm);
    }
    if (both.send) return both;
    wait_for_matches();
    progress::Guard guard;
    both.error = native::isend(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm, &both.native_send);
    if (both.error != MPI_SUCCESS) take_back(both.incoming);
    return both;
}

int wait(Both &both, MPI_Status *status) {
    if (both.error != MPI_SUCCESS || both.is_refused) return both.error;
    int error = MPI_SUCCESS;
    if (both.send) {
        progress::until([&] { return both.send->complete(); });
        progress::Guard guard;
        error = end(*both.send);
    } else
        error = NativeRequest(both.native_send).wait();
    const int its_error = finish_receive(both.incoming, status);
    return error != MPI_SUCCESS ? error : its_error;
}

int as_operation(Both &&both, std::unique_ptr<std::byte[]> copy, MPI_Request *request) {
    if (both.error != MPI_SUCCESS || both.is_refused) return both.error;
    progress::Guard guard;
    if (!both.incoming.receive) both.incoming.receive = look_after(both.incoming.native, both.from);
    Operation &operation = new_operation();
    operation.receive = both.incoming.receive;
    operation.send = both.send;
    operation.native_send = both.native_send;
    operation.copy = std::move(copy);
    *request = operation.handle;
    return MPI_SUCCESS;
}

// What is sent out of a buffer that the receive will fill.
std::unique_ptr<std::byte[]> copy_of(const void *buf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                                     MPI_Count &size) {
    progress::Guard guard;
    int packed = 0, position = 0;
    mpi::library.Pack_size(static_cast<int>(count), type, comm, &packed);
    auto copy = std::make_unique<std::byte[]>(static_cast<std::size_t>(packed));
    mpi::library.Pack(buf, static_cast<int>(count), type, copy.get(), packed, &position, comm);
    size = position;
    return copy;
}

// What the library refuses before it does anything else.
bool is_refused(MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
    return count < 0 || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL || !mpi::is_committed(type);
}

} // namespace

int Sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    trace::Wait waiting;
    const message::Returns when = returns(comm, source, recvtag, recvcount, recvtype, status != MPI_STATUS_IGNORE);
    if (nothing_under_way() && when != message::Returns::unmatched &&
        !may_frame(*mpi::communicator(comm), dest, sendcount, sendtype)) {
        MPI_Status its_status;
        report_native(Mode::standard, sendcount, sendtype, dest, comm);
        const int error = native::sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                           source, recvtag, comm, &its_status);
        if (source == MPI_PROC_NULL || !may_be_framed(*mpi::communicator(comm), source, recvcount, recvtype)) {
            give_status(its_status, status);
            return error;
        }
        return finish_waited(recvbuf, recvcount, recvtype, source, recvtag, comm, error, its_status, status, when);
    }
    Both both =
        begin(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, when);
    return wait(both, status);
}

int Sendrecv_replace(void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status *status) {
    if (is_refused(count, type, comm))
        return STRETTO_NATIVE(Sendrecv_replace, buf, count, type, dest, sendtag, source, recvtag, comm, status);
    trace::Wait waiting;
    MPI_Count size = 0;
    const auto copy = copy_of(buf, count, type, comm, size);
    Both both = begin(copy.get(), size, MPI_PACKED, dest, sendtag, buf, count, type, source, recvtag, comm,
                      returns(comm, source, recvtag, count, type, status != MPI_STATUS_IGNORE));
    const int error = wait(both, status);
    if (error == MPI_SUCCESS) say_that_it_went_well(status);
    return error;
}

int Isendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
              MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
              MPI_Request *request) {
    return as_operation(begin(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                              recvtag, comm, returns(comm, source, recvtag, recvcount, recvtype)),
                        nullptr, request);
}

int Isendrecv_replace(void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request *request) {
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    if (is_refused(count, type, comm))
        return STRETTO_NATIVE(Isendrecv_replace, buf, count, type, dest, sendtag, source, recvtag, comm, request);
#endif
    MPI_Count size = 0;
    auto copy = copy_of(buf, count, type, comm, size);
    // Its own statement: the copy is moved only after its address was taken.
    Both both = begin(copy.get(), size, MPI_PACKED, dest, sendtag, buf, count, type, source, recvtag, comm,
                      returns(comm, source, recvtag, count, type));
    return as_operation(std::move(both), std::move(copy), request);
}

} // namespace stretto::front
