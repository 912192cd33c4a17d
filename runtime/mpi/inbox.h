#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

//! \brief Memory of a process that each rank of its node has a part of to write to (transport/ring.h says what). It is a file without a name, which
//! goes with the last process that has it.
namespace stretto::mpi::inbox {

//! What the ranks of a node tell each other of theirs.
struct Card {
    std::int64_t process, file; //!< file: -1 if it has none
    const void *memory;         //!< where that is in the process
    std::uint64_t word;         //!< what stands in it: in another container these may be another process and file
    std::uint64_t bytes;        //!< of a part
};

//! This process's, of so many parts, each of a page and of so many bytes (whole pages), all zero. No memory is taken before it is written.
Card make(std::size_t parts, std::size_t bytes);

//! The inboxes of all ranks of the node, and which of them is ours. A rank's part of another one's inbox has its own number here.
void join(std::vector<Card> all, std::size_t own);

//! How many ranks the node has.
std::size_t places();

struct Part {
    std::byte *memory = nullptr; //!< a page, and
    std::size_t bytes = 0;       //!< so many behind it
};

//! The part that rank `place` of the node writes. No memory: there is none.
Part from(std::size_t place);

//! Our part of its inbox, mapped when it is first asked for. No memory: it has none, or this process may not reach it.
Part to(std::size_t place);

} // namespace stretto::mpi::inbox
