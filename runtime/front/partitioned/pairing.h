// Which partitioned receive a partitioned send meets (MPI 4.1, 4.2.1): those of one communicator, pair of ranks and tag, in the order in which
// each rank has made them. They meet nothing else, so their messages travel on a communicator of ours (mpi::Job::partitioned), each pair's with
// a tag of its own. Both sides make it of the pair's name, where that is short. Else the sender chooses one, and tells the receiver when it starts
// for the first time; until then nothing of the message can be received.
#pragma once
#include "mpi/communicator.h"
#include "progress/progress.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace stretto::front::pairing {

//! \brief What both sides of a pair call it.
struct Name {
    std::uint64_t
        communicator; //!< the number that the receiver gave it (mpi::Channel); of a rank's messages to itself its serial
    int tag;          //!< the program's
    std::uint32_t ordinal; //!< of this receiver's, or sender's, with that rank and tag: 0 for the first one made

    bool operator==(const Name &) const = default;
};

//! \brief What a sender tells: sent as it lies in memory, on Job::partitioned.
struct Told {
    Name name;
    std::uint64_t bytes; //!< of a message
    int tag;             //!< on Job::partitioned: of this pair's messages
    int partitions;      //!< of the sender
};
static_assert(sizeof(Told) == 32);

//! Do partitioned messages of this communicator travel as ours? All its ranks know it alike.
bool serves(const mpi::Communicator &comm);

//! The name of the next one that this rank makes, towards this rank of the communicator.
Name next(mpi::Communicator &comm, bool sends, int rank, int tag);

//! The tag of this pair's messages that both sides know. Nothing: the numbers of its name are too large.
std::optional<int> tag_of(const Name &name);

//! Where the messages of this pair of ranks go, in Job::partitioned.
int way_to(const mpi::Communicator &comm, int rank);

//! A tag to be told, for a pair's messages to this rank of Job::partitioned. Nothing: all are in use.
std::optional<int> take_tag(int to);
void give_back_tag(int to, int tag);

//! Tell the receiver. An error is the library's.
int tell(int to, const Told &told);

//! Has the sender told of this pair? Looks.
std::optional<Told> heard(int from, const Name &name);

} // namespace stretto::front::pairing
