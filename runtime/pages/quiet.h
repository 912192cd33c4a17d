#pragma once
#include "pages/libc.h"

#include <csignal>
#include <initializer_list>
#include <pthread.h>

namespace stretto::pages {

//! \brief As long as this lives, this thread gets no signal but the synchronous ones. For the time that a lock of ours is held: the
//! handler of a signal that touched a page of ours would wait for a lock that its own thread holds.
class Quiet {
public:
    Quiet() {
        sigset_t all = all_but_synchronous();
        NEXT(pthread_sigmask)(SIG_SETMASK, &all, &before_);
    }
    ~Quiet() { NEXT(pthread_sigmask)(SIG_SETMASK, &before_, nullptr); }
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
