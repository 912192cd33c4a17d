#pragma once
#include "range/range.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

//! \brief While memory is watched, each system call of the program is seen before the kernel reads its arguments, whatever route it
//! takes (docs/safety.md, The kernel's accesses).
//!
//! The kernel would answer EFAULT, or stop short, where a page is closed. So it sends a SIGSYS in place of the call (syscall user
//! dispatch, Linux 5.11, x86-64); the handler settles what the call can reach (call_memory.h) and lets it be made. A thread is told to
//! the kernel once (arming is a store of one byte then), and taken back where nothing was watched for long:
//!
//!     passes ── memory is watched (watch) ─────────────────▶ stops
//!     │ ▲  ◀── the thread enters our code (Ours) ─────────────  │
//!     │ │  ── it leaves our code, memory is still watched ─▶    │
//!     │ └──── a call is stopped, and nothing is watched ────────┘
//!     └─▶ rests ── it watches memory, or another thread would ─▶ passes
namespace stretto::pages::dispatch {

//! Tries it in this thread, which is seen from then on. Empty when it works, else why not. inside: is this thread in a call of the MPI
//! library? What it asks of the kernel there is the library's, and passes.
std::string start(bool (*inside)());

//! Are system calls seen? Never before start(), nor in a child.
inline std::atomic<bool> on{false};

//! Something more is watched, until unwatch(). Called before pages are closed. False: it may not be, as the process has a thread whose calls
//! nobody sees, or is in an Unwatchable section. Always true where start() was not called or failed: then it is the caller's decision.
bool watch();
void unwatch(); //!< after pages were opened, and where watch() was in vain
bool watches();

//! Is any of this on the stack of a thread that is seen? Where its stack is closed the kernel cannot tell a thread of it.
bool is_on_a_stack(Range addresses);

//! The program has its own calls of this thread stopped from now on, or not any more: a thread has one who asks for that. Nothing is watched
//! meanwhile. Before the kernel is told, when all has come.
void give_way(bool to_program);

//! This thread enters our code, or the MPI library, and leaves it.
void enter();
void leave();

//! This thread has left our code, or the MPI library, by a jump. stack: where its own stack ends then.
void leave(std::uintptr_t stack);

//! \brief What this thread asks of the kernel meanwhile is ours, and the program's errno stays as it is.
class Ours {
public:
    Ours();
    //! stack: where the program's own stack ended, if we are on another one.
    explicit Ours(std::uintptr_t stack);
    ~Ours();
    Ours(const Ours &) = delete;
    Ours &operator=(const Ours &) = delete;

private:
    const int error_ = errno;
};

//! \brief libc blocks all signals in this call: a call that is stopped meanwhile would end the process. What was watched before is no
//! danger, as the blocking itself is seen then, and leaves SIGSYS out. Nothing more is watched until the end.
class Unwatchable {
public:
    Unwatchable();
    ~Unwatchable();
    Unwatchable(const Unwatchable &) = delete;
    Unwatchable &operator=(const Unwatchable &) = delete;

    //! Those that a jump has left, whose destructors do not run: dead() tells by where they lie.
    template <class Dead>
    static void end_those(Dead dead);

private:
    const Unwatchable *const outer_;
};

//! \brief A thread from before its begin to its end.
class Thread {
public:
    //! By who makes it. of_library: the MPI library, or we: nobody needs to see its calls, and so memory may be watched as soon as it is there.
    explicit Thread(bool of_library);
    //! By the thread itself, first.
    void begin();
    ~Thread();
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;

private:
    const bool of_library_;
    bool begun_ = false;
};

//! So many calls were looked at; so many times memory was not watched because of a thread that is not seen; so many times a thread began
//! to rest.
inline std::atomic<std::uint64_t> calls_seen{0}, threads_unseen{0}, rests{0};

//! What a handler of ours returns to, so that its return is no call that is looked at; nullptr: libc's.
const void *restorer();

//! Does any thread of the process stop at its next system call?
bool armed();

} // namespace stretto::pages::dispatch
