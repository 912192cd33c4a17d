#pragma once
#include "mpi/library.h"

#include <cstddef>
#include <vector>

namespace stretto::mpi {

//! \brief What a message to another process may weigh and how fast it goes: measured, never believed from a manual.
struct Link {
    //! Bytes: the largest message that an unready receiver can still receive while its sender is outside MPI (protocol rule 7).
    std::size_t eager = 0;
    //! Does the library say that such a send is complete although nobody has received it? Else we send copies: the program's buffer is
    //! free at once all the same. (MPICH over TCP waits for an answer from the receiver's library.)
    bool completes = true;
    double rate = 0; //!< bytes per second of a large message
};

//! Before MPI_Init: ask the transport for what the protocol needs, unless the user has said otherwise. libfabric's TCP provider (MPICH)
//! reads no further from a connection after 64 unexpected messages (FI_TCP_MAX_SAVED): a header behind that many deltas would never come. How
//! many bytes wait unexpected is bounded by the window (rule 4).
void prepare_transport();

//! \brief Measure the link from every rank of `group` to the next one, all at once, and agree on the worst eager limit and the
//! best rate: they hold for every pair of this class. Collective over `everyone`, on which nothing else travels; `group` has some of its
//! ranks, this one among them, and is the same for each of those. Ranks whose group is alone take part with nothing to send; where all are, nothing is measured. Takes some hundredths of a second, ten of them where
//! something does not come as it should; but a link that has `fast` bytes per second, or more, is not looked at any longer, and its eager
//! limit is 0: not known. `wanted`, the same on all: the largest delta that is asked for, bytes; larger ones than are useful on such a link
//! are not tried otherwise.
Link measure_links(const std::vector<int> &group, MPI_Comm everyone, double fast, std::size_t wanted);

} // namespace stretto::mpi
