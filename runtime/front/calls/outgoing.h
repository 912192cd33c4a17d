#pragma once
#include "front/native.h"
#include "front/operation.h"
#include "message/send.h"

namespace stretto::front {

//! Begin to send a message framed, or nothing when it is to go native (docs/protocol, rules 1, 2, 5 and 6). Under the lock.
message::Send *frame(native::Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm);

//! Could a send with these arguments be framed? False for most small messages, at the cost of a few comparisons.
bool may_frame(const mpi::Communicator &comm, int dest, MPI_Count count, MPI_Datatype type);

//! What the report says of a message that the call sends natively and was never to be framed.
void report_native(native::Mode mode, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm);

//! Misuse (rule 10): an open delta send has this communicator, destination and tag.
void check_place(int dest, int tag, MPI_Comm comm);

} // namespace stretto::front
