// Reductions and broadcasts among MDMP's directives: all ranks of the communicator do them, at their place.
#pragma once
#include "front/mdmp/elements.h"
#include "mpi/library.h"

namespace stretto::front::mdmp {

//! \brief What a reduction does (STRETTO_OP_*), and with what (STRETTO_TYPE_*).
struct Reduction {
    int operation, type;
};

//! root: who has the result, or STRETTO_ROOT_ALL. Ends the job where ranks do not ask for the same.
void reduce(const Directive &directive, Reduction how, const Elements &elements, int root, const MPI_Comm *comm);

//! All ranks get the root's values. Ends the job likewise.
void broadcast(const Directive &directive, const Elements &elements, int root, const MPI_Comm *comm);

} // namespace stretto::front::mdmp
