// Blocks that a rank gets from some others and gives to some, by lists of them: neighborhood collectives (MPI 4.1, 8.6 to 8.8), and those
// of an inter-communicator (6.2.3), whose others are the remote group's ranks. No rank knows how much those send that it has nothing to do
// with, and all must decide alike: so the size decides nothing.
#pragma once
#include "front/collectives/collective.h"
#include "front/handled.h"
#include "mpi/topology.h"

#include <cstddef>
#include <functional>
#include <optional>

namespace stretto::front {

//! \brief What one of them gets, or gives: so many bytes behind the buffer's address.
struct Block {
    std::ptrdiff_t offset = 0;
    MPI_Count count = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

//! By the place in the list. What the program gave for it is looked at only if there is such a place.
using BlockOf = std::function<Block(int)>;

//! One behind the other, of as many elements.
BlockOf equal(MPI_Count count, MPI_Datatype type);

//! Displaced by so many extents.
BlockOf displaced(Integers counts, Integers displacements, MPI_Datatype type);

//! Displaced by so many bytes, and each of a type of its own.
BlockOf typed(Integers counts, Integers displacements, const MPI_Datatype types[]);

//! The same block to each destination. Nothing: the library has to refuse something.
std::optional<int> give_one(Asked &&asked, const mpi::Neighbors &with, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, const BlockOf &received, Begins begins,
                            MPI_Request *request);

//! A block of its own to each destination. Likewise.
std::optional<int> give_each(Asked &&asked, const mpi::Neighbors &with, const void *sendbuf, const BlockOf &sent,
                             void *recvbuf, const BlockOf &received, Begins begins, MPI_Request *request);

} // namespace stretto::front
