// Pages in the calls of MPI: the mechanisms, chosen when first wanted, and what must be settled before the library uses a buffer
// (DESIGN.md, Pages and Early release).
#pragma once
#include "front/entry.h"
#include "progress/progress.h"

#include <mutex>
#include <optional>
#include <string>

namespace stretto::front {

//! Choose the mechanisms and start them: once, before the first delta operation that may use them. Not under the lock.
void start_pages();

//! Is memory that the program frees given up before? Not where it brings an allocator of its own, in its executable or in a library that is loaded
//! before libc: that may write to what was freed, under a lock that who brings the message needs too.
bool hears_of_free();

//! The library is about to read these bytes, or to write them: what is guarded comes first, what is tracked counts as written. Not under
//! the lock.
//! The same of a list of so many elements, of a string, and of a list whose length no argument tells: there all that is guarded
//! behind its first element. Addresses that mean something else (MPI_STATUS_IGNORE, MPI_UNWEIGHTED) are no memory of the program's.
void settle_bytes(const void *address, std::size_t bytes, bool written);
void settle_text(const char *text);
void settle_from(const void *address);

template <class Element>
void settle_list(const Element *first, long long count, bool written) {
    if (count > 0) settle_bytes(first, static_cast<std::size_t>(count) * sizeof *first, written);
}

//! The program has given MPI functions that the completion of a request, or the end of a datatype, calls.
inline bool calls_back = false;

template <class... Arguments>
void may_call_back(const Arguments &...) {
    calls_back = true;
}

//! Before a call of the library that has no form that does not block. What is guarded comes first: all of it where the call uses
//! memory that its arguments do not tell us, or where another thread could touch a page meanwhile, and wait for the call: below
//! MPI_THREAD_MULTIPLE (see Alone). In the first case nothing is watched any more. Not under the lock.
void settle_everything(bool uses_buffers);

//! The same where the job is about to end, at whose end the program may look at what it has: it waits for a second at most.
void settle_everything_in_time();

//! \brief A call of the library itself: below MPI_THREAD_MULTIPLE, once pages are used, no fault of another thread may call it meanwhile. Not
//! inline: hundreds of wrappers have one.
class Alone {
public:
    Alone();
    ~Alone();
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

    //! This thread is in one.
    static inline constinit thread_local bool in_native_call = false;

private:
    const bool was = in_native_call;
    std::optional<progress::Guard> guard;
};

} // namespace stretto::front
