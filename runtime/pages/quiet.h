#pragma once
#include "pages/libc.h"

#include <csignal>
#include <initializer_list>
#include <sys/syscall.h>
#include <unistd.h>

namespace stretto::pages {

//! A mask, and with it the signal by which libc ends a thread that may be cancelled anywhere (PTHREAD_CANCEL_ASYNCHRONOUS): it would be unwound out
//! of our handler, or with our lock. libc's own functions never block that one.
inline sigset_t and_cancellation(sigset_t mask) {
    constexpr unsigned cancellation = 32;
    constexpr unsigned bits = 8 * sizeof(unsigned long);
    reinterpret_cast<unsigned long *>(&mask)[(cancellation - 1) / bits] |= 1ul << (cancellation - 1) % bits;
    return mask;
}

//! pthread_sigmask(SIG_SETMASK, ...) past libc.
inline void set_mask(const sigset_t &mask, sigset_t *before) {
    constexpr std::size_t kernels_bytes = 8;
    if (before) sigemptyset(before);
    NEXT(syscall)(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, kernels_bytes);
}

//! \brief As long as this lives, this thread gets no signal but the synchronous ones. For the time that a lock of ours is held: the
//! handler of a signal that touched a page of ours would wait for a lock that its own thread holds.
class Quiet {
public:
    Quiet() {
        const sigset_t all = and_cancellation(all_but_synchronous());
        set_mask(all, &before_);
    }
    ~Quiet() { set_mask(before_, nullptr); }
    Quiet(const Quiet &) = delete;
    Quiet &operator=(const Quiet &) = delete;

    const sigset_t &before() const { return before_; }

    static sigset_t all_but_synchronous() {
        sigset_t all;
        sigfillset(&all);
        for (const int synchronous : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS})
            sigdelset(&all, synchronous);
        return all;
    }

private:
    sigset_t before_;
};

} // namespace stretto::pages
