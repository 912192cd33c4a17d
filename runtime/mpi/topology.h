#pragma once
#include "mpi/communicator.h"

#include <vector>

namespace stretto::mpi {

//! \brief Whom a rank receives from and sends to in neighbourhood collectives, in the order of the blocks (MPI 4.1, 8.6). Nobody: MPI_PROC_NULL.
struct Neighbors {
    std::vector<int> sources, destinations;
    //! Where a rank may be a neighbor several times: the library takes its blocks in the order of both lists. The same on all ranks.
    bool in_order = true;
};

//! Asks the library, once. Nobody (nullptr): the communicator has no topology. Under the lock.
const Neighbors *neighbors(Communicator &communicator);

} // namespace stretto::mpi
