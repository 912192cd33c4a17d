// What we have to know of a communicator: what the program says of it that is for us (the info keys of docs/settings.md), and its ranks'
// names for it.
#pragma once
#include "mpi/library.h"

namespace stretto::front {

//! The library has taken these hints (MPI_Comm_set_info), or given them to a new communicator (MPI_Comm_dup_with_info), or those of
//! another one (MPI_Comm_dup).
void take_hints(MPI_Comm comm, MPI_Info info);
void take_hints(MPI_Comm comm, MPI_Info info, const MPI_Comm *made);
void take_hints(MPI_Comm comm, const MPI_Comm *made);

//! \brief The program ends one in a function of its own that MPI calls, as an attribute's: only its handle is ours then.
void ends_within(MPI_Comm comm);

//! \brief The program has made a communicator. Collective over it.
//!
//! Its ranks tell each other what messages of its collectives need (mpi::Channel). Where one of them has nothing left to give to it, all
//! leave its collectives to the library. So all that a collective's messages need is known before the call that begins it, in which they
//! all leave where nobody looks while a rank waits in a call of the library's (mpi::job.relays).
void introduce(MPI_Comm made);

} // namespace stretto::front
