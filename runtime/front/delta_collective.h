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

//! All of the contribution is final.
int delta_end(MPI_Request *request, CallSite site);

//! Misuse: MPI_Finalize while a delta collective is open.
void check_all_collectives_ended();

} // namespace stretto::front
