// How a call of the program is told from a call that the MPI library, or we, make while inside one.
#pragma once

#include "mpi/library.h"
#include "pages/dispatch.h"
#include "trace/failure.h"
#include "trace/source.h"

#define STRETTO_PUBLIC __attribute__((visibility("default")))

namespace stretto::front {

// How deep this thread is in calls of MPI. A nested call is the library's own, or a callback's, and goes through natively: such calls
// match only among themselves.
inline constinit thread_local int depth = 0;

// Who made the call that we are in.
inline constinit thread_local const void *caller = nullptr;

//! The program's own call, which is then the caller: Fortran's come out of the library's wrappers.
inline CallSite callers_own() {
    return caller = source::of_the_program(caller);
}

inline bool nested() {
    return depth != 0;
}

class Inside {
public:
    Inside() {
        if (depth++ == 0 && pages::dispatch::on) [[unlikely]]
            pages::dispatch::enter();
    }
    ~Inside() {
        if (--depth == 0 && pages::dispatch::on) [[unlikely]]
            pages::dispatch::leave();
    }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
};

// Whether messages are framed: between an MPI_Init that agreed on it and MPI_Finalize.
inline bool active = false;

inline bool framing() {
    return active;
}

// Nothing of ours can be under way, and nobody wants to know what calls take: each goes to the library at once. Decided in MPI_Init.
inline bool straight_through = false;

inline void require_library() {
    mpi::require();
}

} // namespace stretto::front
