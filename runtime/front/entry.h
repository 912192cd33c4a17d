// How a call of the program is told from a call that the MPI library, or we, make while inside one.
#pragma once

#include "pages/dispatch.h"
#include "progress/progress.h"
#include "trace/failure.h"
#include "trace/source.h"

#include <array>
#include <cstdint>
#include <optional>

#define STRETTO_PUBLIC __attribute__((visibility("default")))

namespace stretto::front {

//! How many calls of MPI this thread is in.
inline constinit thread_local int depth = 0;

//! \brief What a call found when it began, for who finds later that it was left by a jump: then no destructor of it has run.
struct Frame {
    std::uintptr_t stack; //!< an address in the frame of its function
    unsigned looking, blocked;
};
inline constexpr int most_frames = 8;
inline constinit thread_local std::array<Frame, most_frames> frames{};

// Who made the call that we are in.
inline constinit thread_local const void *caller = nullptr;

//! The program's own call, which is then the caller: Fortran's come out of the library's wrappers.
inline CallSite callers_own() {
    return caller = source::of_the_program(caller);
}

inline bool nested() {
    return depth != 0;
}

//! Is the call that returns to this address one of the MPI library's own, inside a call of the program's? It goes through natively: such
//! calls match only among themselves. A call of the program's from a function that MPI has called is like any other, and so is one after
//! the program has left a call by a jump.
bool is_nested(const void *return_address);

inline bool nested(const void *return_address) {
    return depth != 0 && is_nested(return_address);
}

//! Calls that the program has left by a jump (longjmp, siglongjmp) are over: the lock, the depth and all counts are as before them. stack: where
//! the program's own stack ends now.
void leave_dead_calls(std::uintptr_t stack);

class Inside {
public:
    Inside() {
        if (depth < most_frames)
            frames[static_cast<std::size_t>(depth)] = {reinterpret_cast<std::uintptr_t>(this), progress::looking_here,
                                                       progress::blocked_here};
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

//! \brief A call that the program makes inside another one, from a function that MPI has called (an error handler, a request's or an
//! attribute's): as if there were no other. The lock is given back meanwhile.
class Within {
public:
    explicit Within(bool outermost) {
        if (outermost && depth > 1) [[unlikely]]
            begin();
    }
    struct Function {}; //!< such a function itself, as long as it runs: it may use what is guarded
    explicit Within(Function) { begin(); }
    ~Within() {
        if (begun) [[unlikely]]
            end();
    }
    Within(const Within &) = delete;
    Within &operator=(const Within &) = delete;

private:
    void begin();
    void end();
    std::optional<progress::LaidDown> lock;
    bool begun = false, was_native = false, was_apart = false;
    const void *outer_caller = nullptr;
};

// Whether messages are framed: between an MPI_Init that agreed on it and MPI_Finalize.
inline bool active = false;

inline bool framing() {
    return active;
}

// Nothing of ours can be under way, and nobody wants to know what calls take: each goes to the library at once. Decided in MPI_Init.
inline bool straight_through = false;

} // namespace stretto::front
