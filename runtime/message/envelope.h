#pragma once
#include "mpi/communicator.h"
#include "mpi/library.h"

#include <memory>
#include <string>

namespace stretto::message {

//! \brief Where a message goes, or where it is wanted from: MPI's envelope.
struct Envelope {
    std::shared_ptr<mpi::Communicator> comm;
    int rank; //!< in comm: destination, or source (MPI_ANY_SOURCE too)
    int tag;  //!< MPI_ANY_TAG too, in a receive

    //! Does a message from `source` with this tag match, as MPI 4.1, 3.2.4 says?
    bool takes(int source, int its_tag) const {
        return (rank == MPI_ANY_SOURCE || rank == source) && (tag == MPI_ANY_TAG || tag == its_tag);
    }
};

//! "the message to rank 3 (tag 7)"
inline std::string describe(const char *direction, int rank, int tag) {
    return std::string("the message ") + direction + " rank " + std::to_string(rank) + " (tag " + std::to_string(tag) +
           ")";
}

} // namespace stretto::message
