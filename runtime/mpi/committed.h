#pragma once
#include "mpi/library.h"

namespace stretto::mpi {

//! MPI has no other question for it than a message to nobody.
bool takes(MPI_Datatype type);

//! May a message have this datatype? Not before MPI_Type_commit: then the library says so, of whatever it is given.
inline bool is_committed(MPI_Datatype type) {
    return type == MPI_BYTE || type == MPI_DOUBLE || type == MPI_INT || type == MPI_FLOAT || type == MPI_CHAR ||
           takes(type);
}

} // namespace stretto::mpi
