#include "pages/mask.h"

#include "pages/libc.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <utility>

namespace stretto::pages::mask {

namespace {

constexpr std::array ours = {SIGSEGV, SIGBUS, SIGSYS};

//! Of this thread, by their places in `ours`.
constinit thread_local std::array<bool, ours.size()> hidden{};

//! A forked child has the program's masks: nothing is watched there.
std::atomic<bool> in_a_child{false};

//! A function of ours asks the kernel, and keeps the books itself.
constinit thread_local bool asks = false;

void add_hidden(sigset_t &mask) {
    for (std::size_t k = 0; k < ours.size(); k++)
        if (hidden[k]) sigaddset(&mask, ours[k]);
}

void hide(int how, const sigset_t &mask) {
    for (std::size_t k = 0; k < ours.size(); k++) {
        const bool member = sigismember(&mask, ours[k]) == 1;
        if (how == SIG_SETMASK)
            hidden[k] = member;
        else if (member)
            hidden[k] = how == SIG_BLOCK;
    }
}

} // namespace

bool applies() {
    static const bool on = [] {
        const char *word = std::getenv("STRETTO");
        return !word || std::strcmp(word, "off") != 0;
    }();
    return on && !in_a_child;
}

unsigned hidden_here() {
    unsigned bits = 0;
    for (std::size_t k = 0; k < ours.size(); k++) bits |= static_cast<unsigned>(hidden[k]) << k;
    return bits;
}

void begins_with(unsigned bits) {
    for (std::size_t k = 0; k < ours.size(); k++) hidden[k] = (bits >> k) & 1;
}

bool differs(sigset_t &programs) {
    if (!hidden_here()) return false;
    asks = true;
    NEXT(pthread_sigmask)(SIG_BLOCK, nullptr, &programs);
    asks = false;
    add_hidden(programs);
    return true;
}

sigset_t without_ours(const sigset_t &mask) {
    sigset_t open = mask;
    for (const int signal : ours) sigdelset(&open, signal);
    return open;
}

bool blocks_ours(const sigset_t &mask) {
    for (const int signal : ours)
        if (sigismember(&mask, signal)) return true;
    return false;
}

bool hides(int signal) {
    for (std::size_t k = 0; k < ours.size(); k++)
        if (ours[k] == signal) return hidden[k];
    return false;
}

sigset_t change(int how, const sigset_t *mask, sigset_t &kernels, Whose whose) {
    if (std::exchange(asks, false)) whose = Whose::libcs;
    sigset_t before = kernels;
    if (whose == Whose::programs) add_hidden(before);
    if (!mask) return before;
    if (whose == Whose::programs) hide(how, *mask);
    if (how == SIG_BLOCK) sigorset(&kernels, &kernels, mask);
    if (how == SIG_SETMASK) kernels = *mask;
    if (how == SIG_UNBLOCK)
        for (int signal = 1; signal < NSIG; signal++)
            if (sigismember(mask, signal) == 1) sigdelset(&kernels, signal);
    kernels = without_ours(kernels);
    return before;
}

InHandler::InHandler(const sigset_t &interrupted, const sigset_t &mask, bool tells_kernel) : was_hidden(hidden_here()) {
    sigset_t all;
    sigorset(&all, &interrupted, &mask);
    if (applies()) {
        hide(SIG_BLOCK, all);
        all = without_ours(all);
    }
    if (!tells_kernel) return;
    asks = applies();
    NEXT(pthread_sigmask)(SIG_SETMASK, &all, nullptr);
    asks = false;
}

void InHandler::returns_to(sigset_t &interrupted) const {
    if (!applies()) return;
    begins_with(was_hidden);
    hide(SIG_BLOCK, interrupted);
    interrupted = without_ours(interrupted);
}

void jumps(const sigset_t &saved) {
    if (applies()) hide(SIG_SETMASK, saved);
}

void unblock_ours() {
    sigset_t open;
    sigemptyset(&open);
    for (const int signal : ours) sigaddset(&open, signal);
    sigset_t before;
    if (!applies() || NEXT(pthread_sigmask)(SIG_UNBLOCK, &open, &before) != 0) return;
    for (std::size_t k = 0; k < ours.size(); k++)
        if (sigismember(&before, ours[k])) hidden[k] = true;
}

void in_child() {
    static unsigned its = 0;
    if (!in_a_child.exchange(true)) its = hidden_here();
    begins_with(its);
    sigset_t programs;
    sigemptyset(&programs);
    add_hidden(programs);
    hidden = {};
    NEXT(pthread_sigmask)(SIG_BLOCK, &programs, nullptr);
}

namespace {

int set(int how, const sigset_t *mask, sigset_t *before) {
    if (!applies() || !mask || (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)) {
        asks = applies();
        const int error = NEXT(pthread_sigmask)(how, mask, before);
        asks = false;
        if (error == 0 && before) add_hidden(*before);
        return error;
    }
    const sigset_t wanted = *mask; // both may be the same memory
    const sigset_t open = without_ours(wanted);
    const auto was = hidden;
    hide(how, wanted); // before a handler of what is unblocked looks
    asks = true;
    const int error = NEXT(pthread_sigmask)(how, how == SIG_UNBLOCK ? &wanted : &open, before);
    asks = false;
    if (before && error == 0)
        for (std::size_t k = 0; k < ours.size(); k++)
            if (was[k]) sigaddset(before, ours[k]);
    return error;
}

} // namespace

} // namespace stretto::pages::mask

using namespace stretto::pages;

extern "C" {

PUBLIC int pthread_sigmask(int how, const sigset_t *mask, sigset_t *before) noexcept {
    return mask::set(how, mask, before);
}

PUBLIC int sigprocmask(int how, const sigset_t *mask, sigset_t *before) noexcept {
    const int error = mask::set(how, mask, before);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

PUBLIC int sigsuspend(const sigset_t *mask) {
    if (!mask::applies()) return NEXT(sigsuspend)(mask);
    const sigset_t open = mask::without_ours(*mask);
    return NEXT(sigsuspend)(&open);
}
}
