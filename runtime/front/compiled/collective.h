// What a compiler calls of collectives (include/stretto/abi.h), as C and Fortran make the calls (compiled_collectives.cpp,
// compiled_collectives_fortran.cpp).
#pragma once
#include "front/arguments.h"
#include "front/collectives/collective.h"
#include "front/compiled/compiled.h"
#include "front/entry.h"
#include "front/handled.h"
#include "progress/progress.h"

#include <functional>

namespace stretto::front {

//! \brief A call of MPI_X in a program of a compiler's.
struct CompiledCall {
    const char *name; //!< "MPI_Alltoall"
    stretto_call *call;
    CallSite site;
    MPI_Comm comm;
    //! MPI_X of handled.h, and the library's, with the program's arguments. Callable again and again.
    std::function<std::optional<int>(const Begins &)> offer;
    std::function<int()> native;
};

stretto_handle compiled_collective_begin(CompiledCall &&call);
stretto_handle compiled_collective_open(stretto_handle handle, CompiledCall &&call);
int compiled_collective_close(stretto_handle handle, CallSite site);

//! Misuse: MPI_Finalize while one is open.
void check_all_compiled_collectives_ended();

namespace compiled {

// Counts, one for each rank, which may still come.
inline void settle(MPI_Comm comm, const int *counts) {
    if (progress::tasks) settle_list(counts, ranks_of(comm), false);
}
template <class Other>
void settle(MPI_Comm, Other) {}

//! The arguments of MPI_X are those that stand before its communicator.
template <class Ours, class Native, class... Arguments>
CompiledCall call(const char *name, stretto_call *call, CallSite site, Ours ours, Native native, MPI_Comm comm,
                  Arguments... arguments) {
    const auto offer = [=](const Begins &begins) {
        (settle(comm, arguments), ...);
        return ours(arguments..., comm, begins, nullptr);
    };
    return {name, call, site, comm, offer, [=] { return native(arguments..., comm); }};
}

} // namespace compiled

} // namespace stretto::front
