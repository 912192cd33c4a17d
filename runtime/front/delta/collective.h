// MPIX_Delta_<collective>_begin, as C and Fortran call it (delta_collectives.cpp, fortran.cpp), and its end.
#pragma once
#include "front/handled.h"
#include "mpi/library.h"
#include "trace/failure.h"

#include <functional>

namespace stretto::front {

//! \brief A delta collective begins.
struct DeltaBegins {
    const char *call;
    CallSite site;
    MPI_Comm comm;
    //! MPI_Ix of handled.h with the program's arguments.
    std::function<void(const Begins &)> offer;
    //! Where that does not take it: the library's blocking form, at the end.
    std::function<int()> native;
};
int delta_begin(DeltaBegins begins, MPI_Request *request);

//! The same by MPI_Ix of handled.h and the library's MPI_X, which have these arguments before the communicator.
template <class Ours, class Native, class... Arguments>
int delta_begin(const char *call, CallSite site, MPI_Request *request, Ours ours, Native native, MPI_Comm comm,
                Arguments... arguments) {
    const auto offer = [=](const Begins &begins) {
        MPI_Request none;
        ours(arguments..., comm, begins, &none);
    };
    return delta_begin({call, site, comm, offer, [=] { return native(arguments..., comm); }}, request);
}

//! All of the contribution is final.
int delta_end(MPI_Request *request, CallSite site);

//! Misuse: MPI_Finalize while a delta collective is open.
void check_all_collectives_ended();

} // namespace stretto::front
