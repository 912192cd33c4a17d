#include "pages/fault.h"

#include "pages/dispatch.h"
#include "pages/libc.h"
#include "pages/mask.h"
#include "pages/memory.h"
#include "pages/quiet.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace stretto::pages::fault {

namespace {

constexpr std::array<int, 3> ours = {SIGSEGV, SIGBUS, SIGSYS};

std::atomic<bool> installed{false};
std::atomic<Handler> of_calls{nullptr};

// What the program asked for. A record is never changed while it may be read: a handler on another thread may be at it; it is used
// again after so many more calls of sigaction.
std::array<struct sigaction, 64> records;
std::atomic<unsigned> next_record{0};
std::atomic<struct sigaction *> of_segv{nullptr}, of_bus{nullptr}, of_sys{nullptr};

std::atomic<struct sigaction *> &programs_action(int signal) {
    return signal == SIGSEGV ? of_segv : signal == SIGBUS ? of_bus : of_sys;
}

void set_programs_action(int signal, const struct sigaction &action) {
    struct sigaction &record = records[next_record++ % records.size()];
    record = action;
    programs_action(signal) = &record;
}

std::array<std::atomic<Owner>, 4> owners{};
std::atomic<std::uint64_t> openings{0};

const void *instruction_of([[maybe_unused]] const ucontext_t &context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(context.uc_mcontext.pc);
#else
    return nullptr;
#endif
}

//! Less is the red zone, which a function may use below its stack's end.
std::uintptr_t stack_of([[maybe_unused]] const ucontext_t &context) {
#if defined(__x86_64__)
    constexpr std::uintptr_t red_zone = 128, alignment = 16;
    return (static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]) - red_zone) / alignment * alignment;
#else
    return 0;
#endif
}

const void *const *top_of([[maybe_unused]] const ucontext_t &context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void *const *>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return nullptr;
#endif
}

bool on(const stack_t &alternate, std::uintptr_t address) {
    const auto begin = reinterpret_cast<std::uintptr_t>(alternate.ss_sp);
    return !(alternate.ss_flags & SS_DISABLE) && address - begin < alternate.ss_size;
}

bool reads([[maybe_unused]] const ucontext_t &context) {
#if defined(__x86_64__)
    constexpr greg_t write = 2; // of a page fault's error code
    return !(context.uc_mcontext.gregs[REG_ERR] & write);
#else
    return false;
#endif
}

#if defined(__x86_64__)
// Another stack is below it while the function runs: who unwinds (a report that looks for a call's line) finds its own by rbp.
asm(R"(
    .text
    .p2align 4
    .globl stretto_call_on
    .hidden stretto_call_on
    .type stretto_call_on, @function
stretto_call_on:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    callq *%rsi
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size stretto_call_on, .-stretto_call_on
)");
extern "C" void stretto_call_on(std::uintptr_t stack, void (*function)(void *), void *argument);
#else
void stretto_call_on(std::uintptr_t, void (*function)(void *), void *argument) {
    function(argument);
}
#endif

bool served(siginfo_t *info, const ucontext_t &context) {
    if (info->si_code <= 0) return false; // from kill(), not from the processor
    const Access access = fault::access(info, context);
    for (const auto &owner : owners)
        if (const Owner asked = owner.load(); asked && asked(access)) return true;
    // Nobody's page now, but perhaps it was when the access was made, and another thread opened it before we looked: once more,
    // unless nothing was opened since the last try. The count is read after the owners were asked, and they count before they give a
    // page up: so one just given up never looks like one that was never ours.
    const std::uint64_t seen = openings;
    static thread_local std::uintptr_t last_address = 0;
    static thread_local std::uint64_t last_seen = UINT64_MAX;
    if (last_address == access.address && last_seen == seen) return false;
    last_address = access.address;
    last_seen = seen;
    return true;
}

void on_fault(int signal, siginfo_t *info, void *its_context) {
    auto *context = static_cast<ucontext_t *>(its_context);
    const bool done = [&] {
        const dispatch::Ours ours(stack_of(*context));
        return served(info, *context);
    }();
    if (!done) pass_on(signal, info, context);
}

Handler handler_of(int signal) {
    return signal == SIGSYS ? of_calls.load() : on_fault;
}

// Past libc, which has a restorer of its own.
void set_kernels_action(int signal, const struct sigaction &action) {
    const void *const restorer = dispatch::restorer();
    if (!restorer) {
        NEXT(sigaction)(signal, &action, nullptr);
        return;
    }
    constexpr std::uint64_t has_restorer = 0x04000000;
    struct {
        Handler handler;
        std::uint64_t flags;
        const void *restorer;
        std::uint64_t mask;
    } kernels{action.sa_sigaction, static_cast<unsigned>(action.sa_flags) | has_restorer, restorer, 0};
    std::memcpy(&kernels.mask, &action.sa_mask, sizeof kernels.mask);
    syscall(SYS_rt_sigaction, signal, &kernels, nullptr, sizeof kernels.mask);
}

// Nothing is watched in a child: what the program asked for is the kernel's again, and passes on to what the child executes.
void in_child() {
    for (const int signal : ours)
        if (handler_of(signal)) NEXT(sigaction)(signal, programs_action(signal).load(), nullptr);
    installed = false;
    mask::in_child();
}

// SA_ONSTACK: where the program has an alternate stack, the ordinary one may have overflowed. SA_NODEFER, and a mask without the
// synchronous signals: serving one fault may meet another.
void install() {
    static const int once = pthread_atfork(nullptr, nullptr, in_child);
    static_cast<void>(once);
    struct sigaction handler {};
    handler.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    handler.sa_mask = and_cancellation(Quiet::all_but_synchronous());
    for (const int signal : ours) {
        handler.sa_sigaction = handler_of(signal);
        if (!handler.sa_sigaction) continue;
        struct sigaction before;
        NEXT(sigaction)(signal, nullptr, &before);
        if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == handler.sa_sigaction) continue;
        set_programs_action(signal, before);
        set_kernels_action(signal, handler);
    }
    installed = true;
}

} // namespace

Access access(const siginfo_t *info, const ucontext_t &context) {
    return {addresses_of(info->si_addr, 0).begin,
            instruction_of(context),
            reads(context),
            context.uc_sigmask,
            context.uc_stack,
            stack_of(context),
            top_of(context)};
}

void pass_on(int signal, siginfo_t *info, ucontext_t *context) {
    const struct sigaction action = *programs_action(signal).load();
    const bool sent_by_somebody = info->si_code <= 0, is_no_access = sent_by_somebody || signal == SIGSYS;
    if (action.sa_handler == SIG_IGN && sent_by_somebody) return;
    // One that the program had blocked would have ended it.
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || (!sent_by_somebody && mask::hides(signal))) {
        // To die from the faulting instruction itself, so that core file, debugger and parent see the true address: the access is
        // made again under the default action.
        const dispatch::Ours ours(stack_of(*context)); // a call that is stopped would set the action in our records
        struct sigaction by_default {};
        by_default.sa_handler = SIG_DFL;
        NEXT(sigaction)(signal, &by_default, nullptr);
        if (is_no_access) raise(signal);
        return;
    }
    if (action.sa_flags & static_cast<int>(SA_RESETHAND)) {
        struct sigaction by_default {};
        by_default.sa_handler = SIG_DFL;
        set_programs_action(signal, by_default);
    }
    sigset_t blocked = action.sa_mask;
    if (!(action.sa_flags & SA_NODEFER)) sigaddset(&blocked, signal);
    // Where the program has its own calls stopped we make none: it would be stopped again.
    constexpr int by_dispatch = 2; // SYS_USER_DISPATCH
    const mask::InHandler in_handler(context->uc_sigmask, blocked, signal != SIGSYS || info->si_code != by_dispatch);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, context);
    else
        action.sa_handler(signal);
    in_handler.returns_to(context->uc_sigmask);
}

void see_calls(Handler handler) {
    of_calls = handler;
    install();
}

void note_handler(int signal, sighandler_t handler) {
    static const sigset_t asynchronous = Quiet::all_but_synchronous();
    if (handler != SIG_DFL && handler != SIG_IGN && sigismember(&asynchronous, signal) == 1) asked_for_handler = true;
}

bool handles(int signal) {
    return installed && std::find(ours.begin(), ours.end(), signal) != ours.end() && handler_of(signal);
}

void change_action(int signal, const struct sigaction *action, struct sigaction *before) {
    const struct sigaction last = *programs_action(signal).load();
    if (action) set_programs_action(signal, *action);
    if (before) *before = last;
}

std::uintptr_t stack_beside(const ucontext_t &context) {
    const auto here = addresses_of(__builtin_frame_address(0), 0).begin;
    const std::uintptr_t programs = stack_of(context);
    return on(context.uc_stack, here) && !on(context.uc_stack, programs) ? programs : 0;
}

void add(Owner owner) {
    for (auto &place : owners) {
        Owner nobody = nullptr;
        if (place.load() == owner || place.compare_exchange_strong(nobody, owner)) break;
    }
    install();
}

namespace {

// As long as with_room works: an address in its frame.
constinit thread_local std::uintptr_t given_up = 0;
thread_local stack_t its_alternate;

} // namespace

void leave(std::uintptr_t stack) {
    if (!given_up || given_up >= stack) return;
    given_up = 0;
    sigaltstack(&its_alternate, nullptr);
}

// The alternate stack is given up meanwhile: the next signal would begin at its top, where this one's frame is.
void with_room(const Access &access, void (*work)(void *), void *what) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (!access.stack || !on(access.alternate, here) || on(access.alternate, access.stack)) return work(what);
    struct Work {
        void (*work)(void *);
        void *what;
    } all{work, what};
    stretto_call_on(
        access.stack,
        [](void *it) {
            stack_t none{}, alternate;
            none.ss_flags = SS_DISABLE;
            sigaltstack(&none, &alternate);
            its_alternate = alternate;
            given_up = reinterpret_cast<std::uintptr_t>(&alternate);
            static_cast<Work *>(it)->work(static_cast<Work *>(it)->what);
            given_up = 0;
            sigaltstack(&alternate, nullptr);
        },
        &all);
}

void pages_opened() {
    openings++;
}

} // namespace stretto::pages::fault

using namespace stretto::pages;
using namespace stretto::pages::fault;

// The program's view of its handlers.
extern "C" {

PUBLIC int sigaction(int signal, const struct sigaction *action, struct sigaction *before) noexcept {
    if (handles(signal)) {
        change_action(signal, action, before);
        return 0;
    }
    if (action) note_handler(signal, action->sa_handler);
    if (!action || !mask::applies() || !mask::blocks_ours(action->sa_mask))
        return NEXT(sigaction)(signal, action, before);
    struct sigaction open = *action;
    open.sa_mask = mask::without_ours(open.sa_mask);
    return NEXT(sigaction)(signal, &open, before);
}

namespace {

// As signal() does in one of its forms, where libc's own must not come to the kernel.
sighandler_t set_handler(int number, sighandler_t handler, unsigned flags) {
    struct sigaction action {
    }, before;
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(flags);
    change_action(number, &action, &before);
    return before.sa_handler;
}

} // namespace

// Each has a memory of its own in libc: siginterrupt.
PUBLIC sighandler_t signal(int number, sighandler_t handler) noexcept {
    if (handles(number)) return set_handler(number, handler, SA_RESTART);
    note_handler(number, handler);
    return NEXT(signal)(number, handler);
}

PUBLIC sighandler_t ssignal(int number, sighandler_t handler) noexcept {
    return signal(number, handler);
}

// signal() of strict ISO C.
PUBLIC sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
    if (handles(number)) return set_handler(number, handler, SA_RESETHAND | SA_NODEFER);
    note_handler(number, handler);
    return NEXT(__sysv_signal)(number, handler);
}

PUBLIC sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
    return __sysv_signal(number, handler);
}

PUBLIC sighandler_t sigset(int number, sighandler_t handler) noexcept {
    note_handler(number, handler);
    return NEXT(sigset)(number, handler);
}
}
