#pragma once
#include "mpi/communicator.h"
#include "mpi/library.h"

#include <cstddef>
#include <optional>
#include <vector>

//! \brief Rule 9: messages that a probe has taken out of the library's queue, since only a framed message's header knows its size.
//! Per communicator and source they are always the earliest that are not received, so looking here first keeps MPI's order
//! (MPI 4.1, 3.5). All functions are called under the one lock.
namespace stretto::message::probed {

struct Message {
    MPI_Message handle = MPI_MESSAGE_NULL; //!< as long as the library has it
    MPI_Status status{};
    bool received = false; //!< the header was read, or it was no header
    bool framed = false;   //!< then bytes are the first fragment, else all of the message
    std::vector<std::byte> bytes{};
};

//! Messages in all lists.
extern std::size_t total;

inline bool any() {
    return total > 0;
}

//! MPI_Iprobe: is there a message from this source with this tag? Its status, the true size in it. Returns the library's error.
int probe(const mpi::Communicator &comm, int source, int tag, bool &found, MPI_Status &status);

//! Take a message that matches out of the list; nothing when none is there.
std::optional<Message> take(const mpi::Communicator &comm, int source, int tag);

//! Receive a message that MPI_Improbe gave, if it may be framed; after that its status holds its true size.
void receive(const mpi::Communicator &comm, Message &message);

//! Could the message with this status be framed?
bool may_be_framed(const mpi::Communicator &comm, const MPI_Status &status);

//! The communicator is gone.
void forget(const mpi::Communicator &comm);

} // namespace stretto::message::probed
