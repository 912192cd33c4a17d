#pragma once
#include "range/range.h"

#include <array>
#include <atomic>
#include <cstdint>

//! \brief Which memory a system call can reach.
namespace stretto::pages {

//! A system call as the kernel gets it.
struct SystemCall {
    long number;
    std::array<std::uintptr_t, 6> arguments;
};

//! What a call does with memory; `either` where that depends on more than its number.
enum class Use : std::uint8_t { reads, writes, either };

//! What becomes of memory itself. given_back: it is gone, or new. moved: the same bytes, elsewhere. altered: the same bytes in the same
//! place; what the kernel is told of them holds from now on.
enum class Change : std::uint8_t { given_back, moved, altered };

//! \brief Is told what a call reaches. Nothing is allocated: the call may have been made by malloc.
class CallMemory {
public:
    virtual void used(Range addresses, Use use) = 0;
    //! Its place, its protection, or that it is there at all.
    virtual void changed(Range addresses, Change change) = 0;
    //! The call's arguments do not tell.
    virtual void everything() = 0;
    //! A list of buffers lies there, and is about to be read. False: nothing more needs to be told.
    virtual bool list(Range addresses) = 0;

protected:
    ~CallMemory() = default;
};

//! A known call reaches what its arguments name, lists of buffers included; any other one everything. A list that cannot be read names
//! nothing: the kernel answers EFAULT.
void tell_memory_of(const SystemCall &call, CallMemory &listener);

//! A call that begins a process or a thread in this memory, perhaps on another stack: it must be made where the program made it.
bool begins_a_thread(const SystemCall &call);

//! By descriptor: has the program opened its own memory there? A file's position may be an address then, and each call that reads or writes this
//! file reaches everything.
inline std::array<std::atomic<bool>, 1024> is_own_memory{};

} // namespace stretto::pages
