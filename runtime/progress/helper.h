#pragma once
#include <cstddef>

//! \brief A thread that looks after what is under way while the program computes: a library moves what is more than sockets hold only when
//! it is called (DESIGN.md, Progress). It begins with the first message that needs it, and rests while nothing is under way. Looks that
//! find nothing new make it slower.
namespace stretto::progress::helper {

//! What a look found.
enum class Found {
    nothing, //!< nothing is under way
    still,   //!< it has not moved, or the program looks after it itself
    moved,
};

//! How it works, from now on: looks (in its thread, without the lock) so many seconds apart, which each is told, while messages of more bytes than so many are
//! under way. None of its calls lets a program's signal in.
void enable(Found (*look)(double until_next), double period, std::size_t more_than);

//! Will there be one when it is wanted?
bool enabled();

//! Such a message may have begun. Under the lock, which is a real one from enable() on.
void wanted(std::size_t bytes);

//! What is under way wants looks no more than so many seconds apart, if that is sooner than the period; 0: it does not matter.
void look_within(double seconds);

//! Is there a thread of ours?
bool runs();

//! It ends, until it is wanted again: before the library does, or the process. Not under the lock.
void stop();

} // namespace stretto::progress::helper
