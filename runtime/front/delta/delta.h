// The delta calls, as C and Fortran make them (delta.cpp, fortran.cpp): the arguments of MPIX_Delta_* and the place of the call in the
// program, which reports of misuse name.
#pragma once
#include "front/calls/incoming.h"
#include "mpi/library.h"
#include "settings/settings.h"
#include "trace/failure.h"
#include "tune/which_trigger.h"

namespace stretto::front {

//! Who says what is final and what is needed, on this communicator. Not under the lock.
Trigger trigger_on(MPI_Comm comm);

//! Where pages or nobody shall say it, annotations vanish: they cost a load and a branch.
bool listens_to_annotations(Trigger said);

//! Where a send with these arguments goes, if it may leave in parts; else nothing. Under the lock.
mpi::Peer *peer_for_parts(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);

int send_begin(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request, CallSite site);

// count -1: as many as the begin said. name: of the call, for reports.
int send_end(MPI_Count count, MPI_Request *request, CallSite site, const char *name);

int recv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status,
         CallSite site);
int recv_end(const void *buf, MPI_Status *status, CallSite site);

//! A delta send that is told by its begin's own code what is final, and by nobody else (compiled.cpp); it ends as others do. Nothing where it
//! must be a plain one: a delta send to the same place is open, say, or an argument is wrong, of which MPI's own call speaks then.
message::Send *begin_fed(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request, CallSite site);

//! \brief A delta receive that is matched.
struct Matched {
    Incoming incoming;
    bool complete = true; //!< nothing to wait for: the status says all
    MPI_Status status{};
};

//! Wait until a message is matched, and as much of it is there as `release` asks. An error is MPI's, and there is no receive then.
int match(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, tune::Release release,
          CallSite site, Matched &matched);

} // namespace stretto::front
