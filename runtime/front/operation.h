#pragma once
#include "front/collectives/collective.h"
#include "front/native.h"
#include "front/partitioned/partitioned.h"
#include "message/receive.h"
#include "message/send.h"
#include "mpi/requests.h"

#include <cstddef>
#include <memory>

namespace stretto::front {

//! \brief What a request of the program stands for, where the native request alone does not say: a framed send, a receive that may be
//! framed, both of an Isendrecv, a delta send. The handle is real: a ticket, or the library's own persistent request (docs/protocol).
class Operation {
public:
    //! The arguments of a persistent operation, used anew at each start.
    struct Persistent {
        bool is_send;
        native::Mode mode;
        const void *buf;
        MPI_Count count;
        MPI_Datatype type;
        message::Envelope envelope;
        CallSite site; //!< of its initialization
    };

    MPI_Request handle = MPI_REQUEST_NULL;
    bool is_ticket = false;
    bool active = true; //!< false: a persistent operation that is not started
    message::Send *send = nullptr;
    message::Receive *receive = nullptr;
    MPI_Request native_send = MPI_REQUEST_NULL; //!< the part of it that the library sends by itself
    std::unique_ptr<std::byte[]> copy;          //!< what a Sendrecv_replace sends
    std::unique_ptr<Persistent> persistent;
    bool begun = false;           //!< a persistent send that has begun before its start (compiled.cpp)
    bool sent_natively = false;   //!< a persistent send that is not framed this time: native_send is its handle
    int sent_error = MPI_SUCCESS; //!< what the library said of native_send at its end
    MPI_Status sent{};
    bool waits_for_end =
        false; //!< a delta send, or a delta collective, before its end; a partitioned message before all is ready
    std::unique_ptr<Partitioned> partitioned;
    std::unique_ptr<Collective> collective; //!< complete before all else is looked at

    //! Only a call of the program's lets it go on.
    bool waits_for_program() const { return waits_for_end && (!partitioned || partitioned->sends()); }

    //! Is it complete? Looks at its parts.
    bool look() { return look(false); }

    //! Is it complete, or may its receive's call return before that? For calls that would wait. unmatched: for those that nobody asks for
    //! a status, also before its match.
    bool look_or_release(bool unmatched = false) { return look(true, unmatched); }

    //! The program learns that it is complete: its status, its error; a request that is not persistent is gone afterwards.
    int finish(MPI_Request *request, MPI_Status *status);

    //! What finish() will say, with the operation left as it is.
    void peek(MPI_Status *status);

    //! The library has ended native_send, and filled `sent`.
    void native_send_ended(int error) {
        native_send = MPI_REQUEST_NULL;
        sent_error = error;
    }

    //! MPI_Request_free.
    void free(MPI_Request *request);

    //! MPI_Cancel (rule 15).
    int cancel();

    //! The receiving half of finish().
    int finish_receive(MPI_Status *status);

private:
    bool look(bool releases, bool unmatched = false);
    void give_send_status(MPI_Status *status) const;
};

//! All of them, by handle.
extern mpi::RequestTable<Operation> operations;

//! Enter a new operation under a handle of its own, or under the library's persistent request that it stands for.
Operation &new_operation(MPI_Request persistent = MPI_REQUEST_NULL);

//! What a start of this request of the library's own would use is not asked for any more. Under the lock.
void forget_memory(MPI_Request persistent);

//! The persistent send out of this memory, among requests that will be started together, that may begin before that: it is standard, has not
//! begun, and none before it that has not goes to the same place. Or null. Under the lock.
Operation *to_be_started(const void *buf, int count, const MPI_Request requests[]);

//! Give a status to the program, which may not want it. MPI_ERROR stays as it is, as single completions leave it.
void give_status(const MPI_Status &status, MPI_Status *to);

//! MPI_ERROR, too, which MPICH fills in some calls that complete one message.
inline void say_that_it_went_well(MPI_Status *status) {
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

//! The program is done with this send: its error, which the handler of its communicator has been told.
int end(message::Send &send);

//! Raise an error of ours on the communicator's handler, as the library raises its own; returns it when the handler does.
int raise(const mpi::Communicator &comm, int error);

} // namespace stretto::front
