#pragma once
#include "trace/failure.h"

//! \brief Does this code say what is final, and what is needed? Asked of what its object (the executable, or a library) imports: the
//! answer is known before the first annotation could come, and one object's does not count for another's.
namespace stretto::trigger {

//! The object of this call has calls of MPIX_Delta_send_data, or MPIX_Delta_wait_data, in C or in Fortran.
bool annotates_sends(CallSite begin);
bool annotates_receives(CallSite begin);

//! Some code of the process calls anything of MPIX_Delta_*, or has operations that a compiler feeds (stretto/abi.h). Libraries that are loaded later
//! count from then on.
bool has_delta_calls();

//! Some code of the process has partitioned messages. Not what can call all of MPI, as bindings of other languages: most of their programs do
//! not.
bool has_partitioned_calls();

//! Some code of the process has delta collectives; or blocking ones that a compiler feeds.
bool has_delta_collectives();
bool has_compiled_collectives();

} // namespace stretto::trigger
