// MPI_Sendrecv and its kin: a send and a receive at once (MPI 4.1, 3.10; docs/protocol, rule 16).
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/incoming.h"
#include "front/outgoing.h"
#include "front/waiting.h"
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
};

// The receive comes first: what its peer sends need not wait for us.
Both begin(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
           MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, message::Returns when) {
    Both both;
    {
        progress::Guard guard;
        enter();
        stretto::count(Rule::sendrecv_looped);
        both.from = {mpi::communicator(comm), source, recvtag};
        both.incoming = begin_receive(recvbuf, recvcount, recvtype, source, recvtag, comm, call_site(when), when);
        if ((both.error = both.incoming.error) != MPI_SUCCESS) return both;
        both.send = frame(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm);
    }
    if (both.send) return both;
    wait_for_matches();
    progress::Guard guard;
    both.error = native::isend(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm, &both.native_send);
    return both;
}

int wait(Both &both, MPI_Status *status) {
    if (both.error != MPI_SUCCESS) return both.error;
    int error = MPI_SUCCESS;
    if (both.send) {
        progress::until([&] { return both.send->complete(); });
        progress::Guard guard;
        both.send->release();
    } else
        error = NativeRequest(both.native_send).wait();
    const int its_error = finish_receive(both.incoming, status);
    return error != MPI_SUCCESS ? error : its_error;
}

int as_operation(Both &&both, std::unique_ptr<std::byte[]> copy, MPI_Request *request) {
    if (both.error != MPI_SUCCESS) return both.error;
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
    trace::Wait waiting;
    MPI_Count size = 0;
    const auto copy = copy_of(buf, count, type, comm, size);
    Both both = begin(copy.get(), size, MPI_PACKED, dest, sendtag, buf, count, type, source, recvtag, comm,
                      returns(comm, source, recvtag, count, type, status != MPI_STATUS_IGNORE));
    return wait(both, status);
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
    MPI_Count size = 0;
    auto copy = copy_of(buf, count, type, comm, size);
    // Its own statement: the copy is moved only after its address was taken.
    Both both = begin(copy.get(), size, MPI_PACKED, dest, sendtag, buf, count, type, source, recvtag, comm,
                      returns(comm, source, recvtag, count, type));
    return as_operation(std::move(both), std::move(copy), request);
}

} // namespace stretto::front
