// What a program says of a communicator that is for us: the info key stretto_trigger (docs/settings.md).
#pragma once
#include "mpi/library.h"

namespace stretto::front {

//! The library has taken these hints (MPI_Comm_set_info), or given them to a new communicator (MPI_Comm_dup_with_info), or those of
//! another one (MPI_Comm_dup).
void take_hints(MPI_Comm comm, MPI_Info info);
void take_hints(MPI_Comm comm, MPI_Info info, const MPI_Comm *made);
void take_hints(MPI_Comm comm, const MPI_Comm *made);

} // namespace stretto::front
