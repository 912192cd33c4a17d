#pragma once
#include "mpi/job.h"
#include "transport/ring.h"

#include <cstddef>
#include <cstdint>

//! \brief How a delta travels within a node: its sender puts it into memory that both share, behind it a flag, and the receiver finds it there. No call of
//! the MPI library is made. What finds no room goes on two-sided (docs/protocol, rule 19).
namespace stretto::transport::one_sided {

//! Do we share memory with it?
bool is_possible(const mpi::Peer &peer);

//! \brief The way out of one message. False: it goes two-sided.
class Outgoing {
public:
    Outgoing() = default;
    //! Of a message with this tag, in pieces of so many bytes at most. Two-sided where there is no other way, or no room.
    Outgoing(const mpi::Peer &peer, std::uint32_t tag, std::size_t most);
    ~Outgoing() { close(); }
    Outgoing(Outgoing &&other) noexcept { *this = static_cast<Outgoing &&>(other); }
    Outgoing &operator=(Outgoing &&other) noexcept;

    explicit operator bool() const { return ring != nullptr; }

    //! Where the next piece's bytes go, until they are put; nullptr: there is no room now.
    std::byte *room(std::size_t bytes) { return ring->room(bytes); }
    void put(std::uint32_t number, std::size_t bytes);

    //! The end marker: the message has so many bytes. At any time, once.
    void end(std::uint64_t bytes);

    //! All else goes two-sided: from now on this is false.
    void turn_two_sided();

private:
    void close();

    RingWriter *ring = nullptr;
    std::uint32_t tag = 0;
    std::size_t reserved = 0; // records
};

//! \brief A message that comes so.
class Incoming {
public:
    //! A piece has come. Its bytes are there until this returns.
    virtual void piece_came(std::uint32_t number, const std::byte *bytes, std::size_t n) = 0;
    virtual void end_came(std::uint64_t bytes) = 0;
    //! All pieces that came so have; the others come two-sided.
    virtual void turns_two_sided() = 0;

protected:
    ~Incoming() = default;
};

//! From now on its pieces are handed to it; those that are here already, now. Until it turns two-sided, or take_back().
void hand_to(Incoming &message, const mpi::Peer &from, std::uint32_t tag);
void take_back(Incoming &message, const mpi::Peer &from);

//! Hands over all that this rank has put. Pieces of messages that nobody receives yet are kept.
void take_in(const mpi::Peer &from);

//! The same of all ranks, up to the first piece of a message that nobody receives yet: to keep that costs a copy, and need not be now.
void take_in_what_is_awaited();

//! Who looks at memory alone lets the library go on now and then: other ranks may wait for what passes through it.
void let_the_library_go_on(const mpi::Peer &towards);

} // namespace stretto::transport::one_sided
