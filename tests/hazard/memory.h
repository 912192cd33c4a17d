// What the hazards share: memory of whole pages, accesses that stay where they are, processes that may die.
#pragma once
#include "pages/memory.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stretto::pages {

inline const std::size_t page = page_bytes();

//! Private memory of whole pages, gone at the end.
class Pages {
public:
    explicit Pages(std::size_t pages, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1)
        : bytes_(pages * page),
          at_(static_cast<char *>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file, 0))) {
        EXPECT_NE(at_, MAP_FAILED);
    }
    ~Pages() { munmap(at_, bytes_); }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;
    char *at(std::size_t offset = 0) { return at_ + offset; }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    char *at_;
};

//! As many maps as the kernel allows: pages of alternating access are maps of their own.
class AllMaps {
    Pages many_{1 << 18, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE};

public:
    AllMaps() {
        for (std::size_t at = 0; at < many_.bytes(); at += 2 * page)
            if (mprotect(many_.at(at), page, PROT_NONE) != 0) break;
    }
};

//! An alternate stack that holds little more than a signal's frame.
class SmallStack {
    Pages memory_{5};
    stack_t before_{};

public:
    SmallStack() {
        EXPECT_EQ(mprotect(memory_.at(), page, PROT_NONE), 0);
        const stack_t small{memory_.at(page), 0, memory_.bytes() - page};
        EXPECT_EQ(sigaltstack(&small, &before_), 0);
    }
    ~SmallStack() { sigaltstack(&before_, nullptr); }
    bool is_set() const {
        stack_t now;
        sigaltstack(nullptr, &now);
        return !(now.ss_flags & (SS_DISABLE | SS_ONSTACK)) && now.ss_size < 5 * page;
    }
};

//! As the progress of an MPI library does.
inline void need_stack() {
    volatile char much[64 * 4096];
    for (std::size_t at = 0; at < sizeof much; at += page) much[sizeof much - 1 - at] = 1;
}

//! An access that the compiler neither drops nor moves.
inline void write_to(char *address, char value = 1) {
    *static_cast<volatile char *>(address) = value;
}

inline char read_from(const char *address) {
    return *static_cast<const volatile char *>(address);
}

//! An address that is nobody's, unknown to the compiler.
inline char *nowhere() {
    static char *volatile address = reinterpret_cast<char *>(8);
    return address;
}

//! A child that does not outlive us, whatever it hangs in.
inline pid_t fork_child() {
    const pid_t child = fork();
    if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

//! How a child that does this ends.
template <class Work>
int status_of(Work work) {
    const pid_t child = fork_child();
    if (child == 0) {
        const rlimit no_core{};
        setrlimit(RLIMIT_CORE, &no_core);
        work();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

//! A handler of the program that leaves by a long jump.
struct Leaver {
    static inline sigjmp_buf back;
    static inline volatile std::uintptr_t seen = 0;

    static void leave(int, siginfo_t *info, void *) {
        seen = reinterpret_cast<std::uintptr_t>(info->si_addr);
        siglongjmp(back, 1);
    }

    static void install(int flags = 0) {
        struct sigaction action {};
        action.sa_sigaction = leave;
        action.sa_flags = SA_SIGINFO | flags;
        sigaction(SIGSEGV, &action, nullptr);
    }

    //! Past all wrappers, as a library does that was loaded so that they do not see it.
    static void install_behind_all_backs() {
        struct KernelAction {
            void (*handler)(int, siginfo_t *, void *);
            unsigned long flags;
            void (*restorer)();
            unsigned long mask;
        } action{leave, SA_SIGINFO, nullptr, 0};
        syscall(SYS_rt_sigaction, SIGSEGV, &action, nullptr, sizeof action.mask);
    }

    static bool installed() {
        struct sigaction now;
        sigaction(SIGSEGV, nullptr, &now);
        return now.sa_sigaction == leave;
    }

    //! Does it get the fault at this address, with the signals blocked that the kernel would have blocked?
    static bool serves(char *nowhere) {
        seen = 0;
        if (sigsetjmp(back, 0) == 0) {
            write_to(nowhere);
            return false; // the access went on
        }
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        const bool as_it_should = sigismember(&blocked, SIGSEGV) && !sigismember(&blocked, SIGINT);
        sigemptyset(&blocked);
        pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
        return as_it_should && seen == reinterpret_cast<std::uintptr_t>(nowhere);
    }
};

} // namespace stretto::pages
