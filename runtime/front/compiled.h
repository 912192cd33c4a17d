// What a compiler's calls do, as C and Fortran make them (include/stretto/abi.h; compiled.cpp, compiled_fortran.cpp). A site is the return
// address of such a call.
#pragma once
#include "mpi/library.h"
#include "trace/failure.h"

#include <stretto/abi.h>

namespace stretto::front {

stretto_handle compiled_send_begin(stretto_call *call, const void *buf, MPI_Count count, MPI_Datatype type, int dest,
                                   int tag, MPI_Comm comm, CallSite site);

//! Not of handle 0. request: of MPI_Isend; nullptr: the end waits.
int compiled_send_end(stretto_handle handle, MPI_Request *request, CallSite site);

stretto_handle compiled_recv_begin(stretto_call *call, void *buf, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Status *status, CallSite site);
int compiled_recv_end(stretto_handle handle, MPI_Status *status, CallSite site);

} // namespace stretto::front
