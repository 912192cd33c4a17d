#pragma once
#include "front/entry.h"
#include "front/operation.h"
#include "message/probed.h"
#include "message/receive.h"

namespace stretto::front {

//! \brief A receive that was begun: tracked by us, or the library's alone, or neither because the call was wrong.
struct Incoming {
    message::Receive *receive = nullptr; //!< may meet a framed message
    MPI_Request native =
        MPI_REQUEST_NULL; //!< the library's request, also of a tracked one that is not served from the list
    int error = MPI_SUCCESS;
};

//! Begin a receive: from the probed list, else posted natively, by a start of the persistent request where there is one. Under the
//! lock, as looking and posting are one step (rule 9).
Incoming begin_receive(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       CallSite site = nullptr, message::Returns returns = message::Returns::complete,
                       MPI_Request persistent = MPI_REQUEST_NULL);

//! Begin to look at a native receive, which may meet a framed message. Under the lock.
message::Receive *track(MPI_Request native, const mpi::TypedBuffer &buffer, const message::Envelope &from,
                        CallSite site = nullptr, message::Returns returns = message::Returns::complete);

//! A native receive that no framed message can meet, where an operation of ours has to look at it all the same.
message::Receive *look_after(MPI_Request native, const message::Envelope &from);

//! Wait until a begun receive is complete, and end it.
int finish_receive(Incoming &incoming, MPI_Status *status);

//! Could what comes be framed? A first fragment never exceeds a correct receive (rule 2).
bool may_be_framed(const mpi::Communicator &comm, int source, MPI_Count count, MPI_Datatype type);

//! May its call return before all has come? Pages are started where it may. Not under the lock. status_asked: of a call that waits, which is
//! asked for what only the match tells.
message::Returns returns(const mpi::Communicator &comm, MPI_Count count, MPI_Datatype type);
message::Returns returns(MPI_Comm comm, int source, int tag, MPI_Count count, MPI_Datatype type,
                         bool status_asked = false);

//! Before a receive is posted without a wait: what still comes into its buffer does, where that may come in between. Not under the lock.
void settle_before(message::Returns when, const void *buf, MPI_Count count, MPI_Datatype type);

//! The call of a receive. Where something is learnt of it, the program's own.
CallSite call_site(message::Returns when);

//! Could what comes be in more than one part, if it is no longer than this receive?
bool may_come_in_parts(MPI_Count count, MPI_Datatype type);

//! A receive that the library was let to wait for has completed with this status: what is left of it.
int finish_waited(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, int error,
                  const MPI_Status &its_status, MPI_Status *status, message::Returns when);

//! May the library block this thread, and receive meanwhile? Only when nothing of ours waits for it.
bool nothing_under_way();

//! The buffer of a receive, as bytes: MPI_PACKED is bytes too.
mpi::TypedBuffer receive_buffer(void *buf, MPI_Count count, MPI_Datatype type);

//! Serve a receive with a message out of the probed list.
Incoming serve(message::probed::Message &&message, void *buf, MPI_Count count, MPI_Datatype type,
               const message::Envelope &from, CallSite site = nullptr,
               message::Returns returns = message::Returns::complete);

} // namespace stretto::front
