#pragma once
#include "range/range.h"

#include <string>

//! \brief The process's userfaultfd: faults of user mode only, told by a SIGBUS in the thread that faults (Linux 5.11, no privilege).
//! The tracker write-protects pages through it, the guard takes pages away and fills them.
namespace stretto::pages::userfault {

//! Empty when it is open, else why it cannot be.
std::string open();
void close();

//! Faults in these pages are ours: first writes to protected pages, or accesses to pages that are not there. False where the kernel
//! refuses, with the memory as it was.
bool watch_writes(Range pages);
bool watch_missing(Range pages);
//! Does a userfaultfd of the program's own watch some of them? Then nobody but its own thread can fill a page that is missing.
bool is_anothers(Range pages);

void forget(Range pages);

//! Before pages of which some were never touched are closed to writes.
void populate(Range pages);

//! Close pages to writes, or open them.
bool write_protect(Range pages, bool on);

//! Put bytes into pages that are not there: they are there when this returns, for all threads at once. False when the pages are no
//! longer what they were (unmapped).
bool fill(Range pages, const void *bytes);
bool fill_with_zeros(Range pages);

} // namespace stretto::pages::userfault
