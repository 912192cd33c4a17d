#pragma once
#include "range/range.h"

#include <cstddef>
#include <cstdint>

struct dl_phdr_info;

//! \brief Which bytes of a buffer the program has written or touches, asked of the operating system's pages.
namespace stretto::pages {

//! Bytes of a page, as the system says (4 KiB on x86-64, up to 64 KiB elsewhere).
std::size_t page_bytes();

//! The whole pages inside a range of addresses; may be empty. What else is in it may share its page with other data.
Range whole_pages(Range addresses);

//! Where the last page of a buffer ends, if no other allocation has bytes there: the buffer begins one of malloc or aligned_alloc that goes
//! on to the end of this page, and not much further. Else the buffer's end. Reads what glibc keeps before and behind allocations; what lies
//! behind the buffer may be the program's all the same.
std::uintptr_t own_end(Range addresses);

//! The allocation of malloc that these bytes lie in, with its header, if glibc has mapped it by itself: then there is nothing of anybody
//! else on its pages. Else nothing. Searches downwards for what glibc keeps at a mapping's first page, and remembers what it found.
Range own_allocation(Range addresses);

inline void *pointer(std::uintptr_t address) {
    return reinterpret_cast<void *>(address);
}
inline Range addresses_of(const void *buffer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    return {begin, begin + bytes};
}

//! What all segments of a loaded object lie between.
Range addresses_of(const dl_phdr_info &object);

//! \brief What kind of memory a range is: may its pages be taken away from the program for a while?
struct Facts {
    bool ordinary = false;  //!< every page is private, readable, writable, not executable, and of the usual size
    bool anonymous = false; //!< ... and comes from no file: .bss, but not .data
    //! Some of it is a thread's stack, the caller's alternate one for signals, or where it runs now, if that is none of these (a fiber). Of
    //! threads whose calls are not seen (dispatch.h) only the caller is known.
    bool stack = false;

    //! What they are together.
    void add(const Facts &more) {
        ordinary &= more.ordinary;
        anonymous &= more.anonymous;
        stack |= more.stack;
    }
};

//! The stack that this thread began with.
Range own_stack();

//! Others than this process's threads use this memory, in ways that no closed page stops: it is not ordinary until it is concealed, once for
//! each time that it was exposed. Under the one lock.
void expose(Range addresses);
void conceal(Range addresses);

//! False where the kernel refuses: they are no memory, or it would take a map more than there may be.
bool protect(Range pages, int access);

//! Does this advice (madvise) drop what is in memory?
bool drops(int advice);

//! Has somebody pinned memory of this process: a network card, io_uring? Their pages must stay where they are. What the kernel does
//! not tell counts as nothing.
bool anything_pinned();

//! One system call for each mapping (Linux 6.11), else the text of /proc/self/maps. Not for signal handlers.
Facts facts(Range addresses);

} // namespace stretto::pages
