#pragma once
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ucontext.h>

//! \brief One handler of SIGSEGV and SIGBUS, shared by the tracker, the guard and the program.
//!
//! The program keeps its own handlers, whether they were installed before ours or are installed later: sigaction() and signal() come
//! here first, and a fault that is not ours goes on to them with the mask, the siginfo and the address that they would have seen.
namespace stretto::pages::fault {

//! An access that faulted.
struct Access {
    std::uintptr_t address;
    const void *instruction;
    bool reads;               //!< it was no write for certain; only some processors tell
    const sigset_t &mask;     //!< of signals that the thread had blocked
    const stack_t &alternate; //!< the thread's alternate stack, if it has one
    std::uintptr_t stack;     //!< where the program's own stack ends
    const void *const
        *top; //!< what is on top of it, if the processor tells: not to be looked at where the stack has overflowed
};

//! Called in the signal handler, on the thread that faulted, with all but the synchronous signals blocked: an owner that waits lets
//! the program's through meanwhile. True: the access may be tried again.
using Owner = bool (*)(const Access &);

//! The access, or the system call, that this signal was sent for.
Access access(const siginfo_t *info, const ucontext_t &context);

//! For an owner whose page it is: calls work(what) with the room that the program's stack has. Its alternate stack, which the handler of a
//! fault must use (the ordinary one may have overflowed), may hold no more than a signal's frame (Python's faulthandler, Rust).
void with_room(const Access &access, void (*work)(void *), void *what);

//! This thread has left a wait for a page by a jump: its alternate stack, given up meanwhile, is its own again. stack: where
//! its own stack ends then.
void leave(std::uintptr_t stack);

//! From now on faults are offered to this owner. Installs the handler, and installs it again where a handler was set behind our back
//! (by a library that was loaded so that its sigaction does not come here).
void add(Owner owner);

//! A handler of ours for SIGSYS, which is then shared with the program as the others are.
using Handler = void (*)(int signal, siginfo_t *info, void *context);
void see_calls(Handler handler);

//! Is this one of the signals that are shared? Then change_action is the program's sigaction().
bool handles(int signal);
void change_action(int signal, const struct sigaction *action, struct sigaction *before);

//! The program has this handler from now on. handlers_may_come(): it has had one of a signal that comes between any two instructions.
void note_handler(int signal, sighandler_t handler);
inline constinit std::atomic<bool> asked_for_handler{false};
inline bool handlers_may_come() {
    return asked_for_handler.load(std::memory_order_relaxed);
}

//! Hands a signal that is not ours to the program, as the kernel would have done.
void pass_on(int signal, siginfo_t *info, ucontext_t *context);

//! Where the program's stack ends (below it is free), if the handler runs on an alternate one; else 0.
std::uintptr_t stack_beside(const ucontext_t &context);

//! To be called after pages were opened and before their range is given up: a fault that nobody owns is tried once more when this
//! was called since, for its page may have been ours when the access was made.
void pages_opened();

} // namespace stretto::pages::fault
