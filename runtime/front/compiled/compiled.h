// What a compiler's calls do, as C and Fortran make them (include/stretto/abi.h; compiled.cpp, compiled_fortran.cpp). A site is the return
// address of such a call.
#pragma once
#include "mpi/library.h"
#include "trace/failure.h"

#include <stretto/abi.h>

namespace stretto::front {

//! A call's first use: reports name what the compiler knows of it, also where the program has no debug information. False: it is of a later
//! Stretto's compiler, for which plain MPI is always right.
bool is_known(stretto_call *call, CallSite site);

stretto_handle compiled_send_begin(stretto_call *call, const void *buf, MPI_Count count, MPI_Datatype type, int dest,
                                   int tag, MPI_Comm comm, CallSite site);

//! Not of handle 0. request: of MPI_Isend; nullptr: the end waits.
int compiled_send_end(stretto_handle handle, MPI_Request *request, CallSite site);

stretto_handle compiled_start_begin(stretto_call *call, const void *buf, int count, const MPI_Request requests[],
                                    CallSite site);
//! Not of handle 0.
void compiled_start_end(stretto_handle handle, CallSite site);

stretto_handle compiled_recv_begin(stretto_call *call, void *buf, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Status *status, CallSite site);
//! Is it known that the message was begun to be sent, and that it fits? Then nothing of it need be here where it is waited for.
enum class Sender { unknown, has_begun };

//! A request that it takes is null afterwards, unless it is persistent.
stretto_handle compiled_wait_begin(stretto_call *call, const void *buf, int count, MPI_Request requests[],
                                   CallSite site, Sender sender = Sender::unknown);
int compiled_recv_error(stretto_handle handle);
//! Not of handle 0: of its status, where the program has an array of them.
std::size_t compiled_recv_index(stretto_handle handle);
int compiled_recv_end(stretto_handle handle, MPI_Status *status, CallSite site);

} // namespace stretto::front
