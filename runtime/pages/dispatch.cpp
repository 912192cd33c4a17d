#include "pages/dispatch.h"

#include "pages/call_memory.h"
#include "pages/fault.h"
#include "pages/guard.h"
#include "pages/kernel.h"
#include "pages/libc.h"
#include "pages/mask.h"
#include "pages/memory.h"
#include "pages/quiet.h"
#include "pages/tracker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

namespace stretto::pages::dispatch {

#if defined(__x86_64__)

namespace {

// --- threads --------------------------------------------------------------------------------------------------------

// What the kernel looks at for each call.
enum Selector : char { passes = 0, stops = 1 };

//! What is known of a thread that is seen. Never given back: who arms it may be late.
struct alignas(64) Seen {
    std::atomic<char> selector{passes};
    std::atomic<bool> used{false};
    std::atomic<bool> may_block{
        false}; //!< SIGSYS: looked at once, as memory may have been watched first while it was blocked
    std::atomic<std::uintptr_t> stack_begin{0}, stack_end{0}; //!< the one that it began with
};

std::array<Seen, 1024> seen;
std::atomic<std::size_t> most_used{0}; // of them
std::atomic<std::size_t> known{0};     // threads that are seen, or that need not be
std::atomic<std::size_t> threads_seen{0};
std::atomic<std::size_t> watched{0}, unwatchable{0};
std::atomic<std::uint64_t> watches_begun{0};

constinit thread_local Seen *mine = nullptr;
constinit thread_local bool need_not_be_seen = false;
constinit thread_local bool gave_way = false; // the program has its own calls stopped
constinit thread_local int ours = 0;
constinit thread_local const Unwatchable *section = nullptr; // the innermost
bool (*inside)() = nullptr;

//! Where the program's stack ended when it came into our code, for who leaves that by a jump: then no destructor of it has run.
constexpr int most_begins = 8;
constinit thread_local std::array<std::uintptr_t, most_begins> begins{};

void begin_ours(std::uintptr_t stack) {
    if (ours < most_begins) begins[static_cast<std::size_t>(ours)] = stack;
    ours++;
}

bool is_ours() {
    return ours > 0 || (inside && inside());
}

extern "C" const char stretto_let_through[], stretto_return_through[], stretto_restorer[], stretto_let_through_end[];

bool tell_kernel(bool is_seen) {
    if (!is_seen) return syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
    return syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, stretto_let_through,
                   stretto_let_through_end - stretto_let_through, &mine->selector) == 0;
}

// Against watch(): who sees that this one is used arms it, and whom it does not see looks itself.
void stop_if_watched() {
    if (watched) mine->selector = stops;
}

void take_place() {
    for (std::size_t k = 0; k < seen.size(); k++) {
        if (seen[k].used.exchange(true)) continue;
        mine = &seen[k];
        mine->selector = passes;
        std::size_t most = most_used;
        while (most < k + 1 && !most_used.compare_exchange_weak(most, k + 1)) {
        }
        return;
    }
}

// Where it fails the thread is one too many, and nothing is watched.
bool see_this_thread() {
    if (gave_way) return false;
    take_place();
    if (!mine) return false;
    if (!tell_kernel(true)) {
        mine->used = false;
        mine = nullptr;
        return false;
    }
    mask::unblock_ours();
    const Range stack = own_stack();
    mine->stack_begin = stack.begin;
    mine->stack_end = stack.end;
    known++;
    threads_seen++;
    return true;
}

void forget_this_thread(bool tell = true) {
    if (tell) tell_kernel(false);
    mine->stack_begin = mine->stack_end = 0;
    mine->used = false;
    mine = nullptr;
    known--;
    threads_seen--;
}

//! A thread that is seen pays for it in each system call, also where nothing is watched: MPICH's polls make many. So it rests after as many
//! calls of ours without anything new to watch, if the program has no other thread: one that rests keeps the others from watching.
struct Rest {
    static constexpr int quiet_calls = 256;

    bool rests = false;
    int calls = 0;
    std::uint64_t watches = 0; // that had begun by the last call
    std::uint64_t unseen = 0;  // threads_unseen when it began to rest
};
constinit thread_local Rest rest;

void wake() {
    rest.rests = false;
    see_this_thread();
}

// Against watch() of a thread of ours: it finds one thread too few, or we find that something is watched.
void rest_if_quiet() {
    const std::uint64_t watches = watches_begun.load(std::memory_order_relaxed);
    if (std::exchange(rest.watches, watches) != watches) rest.calls = 0;
    if (++rest.calls < Rest::quiet_calls || threads_seen > 1) return;
    rest = {.rests = true, .watches = watches, .unseen = threads_unseen};
    rests++;
    forget_this_thread();
    if (!watched) return;
    wake();
    if (mine) stop_if_watched();
}

// --- calls that are let through -------------------------------------------------------------------------------------

// From here the kernel lets calls pass. The handler leaves a frame on the stack and has the thread go on at `let_through`: the call is made
// with the program's own mask, is begun again by the kernel where a signal interrupts it, and goes back to where it was made.
// `return_through` is for rt_sigreturn, which finds its frame on the stack; the restorer is that of our own handlers. For who unwinds: where
// the call was made is what called us, and its stack is in the frame.
asm(R"(
    .text
    .p2align 4
    .globl stretto_let_through, stretto_return_through, stretto_restorer, stretto_let_through_end
    .hidden stretto_let_through, stretto_return_through, stretto_restorer, stretto_let_through_end
stretto_let_through:
    .cfi_startproc
    .cfi_escape 0x0f, 0x03, 0x77, 0x38, 0x06 # CFA: what is at rsp + 56
    .cfi_escape 0x10, 0x10, 0x02, 0x77, 0x00 # rip: is at rsp
    syscall
    popq %rcx
    popq %rdi
    popq %rsi
    popq %rdx
    popq %r10
    popq %r8
    popq %r9
    popq %rsp
    jmpq *%rcx
    .cfi_endproc
stretto_return_through:
    syscall
    nop
stretto_restorer:
    movq $15, %rax
    syscall
    nop
stretto_let_through_end:
)");

//! As `let_through` takes it from the stack.
struct Frame {
    std::uintptr_t back;
    std::array<std::uintptr_t, 6> arguments;
    std::uintptr_t stack;
    std::array<std::byte, 64> changed_argument;
};
static_assert(offsetof(Frame, stack) == 56);

constexpr std::array argument_registers = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

std::uintptr_t get(const ucontext_t &context, int which) {
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[which]);
}

void set(ucontext_t &context, int which, std::uintptr_t value) {
    context.uc_mcontext.gregs[which] = static_cast<greg_t>(value);
}

//! In its place, by this thread that is not stopped.
void make_again(ucontext_t &context, long number) {
    constexpr std::uintptr_t length_of_syscall = 2;
    set(context, REG_RIP, get(context, REG_RIP) - length_of_syscall);
    set(context, REG_RAX, static_cast<std::uintptr_t>(number));
}

void let_through(ucontext_t &context, long number, Frame &frame) {
    frame.back = get(context, REG_RIP);
    frame.stack = get(context, REG_RSP);
    for (std::size_t k = 0; k < argument_registers.size(); k++)
        frame.arguments[k] = get(context, argument_registers[k]);
    set(context, REG_RSP, addresses_of(&frame, 0).begin);
    set(context, REG_RIP, addresses_of(stretto_let_through, 0).begin);
    set(context, REG_RAX, static_cast<std::uintptr_t>(number));
}

void let_return(ucontext_t &context) {
    auto &frame = *static_cast<ucontext_t *>(pointer(get(context, REG_RSP)));
    frame.uc_sigmask = mask::without_ours(frame.uc_sigmask);
    set(context, REG_RIP, addresses_of(stretto_return_through, 0).begin);
    set(context, REG_RAX, SYS_rt_sigreturn);
}

void answer(ucontext_t &context, long value) {
    set(context, REG_RAX, static_cast<std::uintptr_t>(value));
}

// --- what a call reaches --------------------------------------------------------------------------------------------

//! Does it reach anything that is watched?
class Meets final : public CallMemory {
public:
    void used(Range addresses, Use) override {
        met |= Guard::meets_a_guard(addresses) || Tracker::concerns(pointer(addresses.begin), addresses.bytes());
    }
    void changed(Range addresses, Change) override {
        met |= Guard::comes_into(addresses);
        used(addresses, Use::either);
    }
    void everything() override { met = true; }
    bool list(Range addresses) override { return !(met |= Guard::meets_a_guard(addresses)); }
    bool met = false;
};

class Settles final : public CallMemory {
public:
    void used(Range addresses, Use use) override {
        Guard::settle(pointer(addresses.begin), addresses.bytes());
        if (use == Use::writes) Tracker::settle(pointer(addresses.begin), addresses.bytes());
        if (use == Use::either) open_tracked(addresses);
    }
    // Who gives memory back may hold the lock of an allocator, and does not wait.
    void changed(Range addresses, Change change) override {
        if (change == Change::given_back)
            Guard::give_up(pointer(addresses.begin), addresses.bytes());
        else
            Guard::retire(pointer(addresses.begin), addresses.bytes());
        if (change == Change::altered)
            Tracker::leave_alone(pointer(addresses.begin), addresses.bytes());
        else
            open_tracked(addresses);
    }
    void everything() override {
        Guard::settle(nullptr, SIZE_MAX);
        Tracker::open_everything();
    }
    bool list(Range addresses) override {
        Guard::settle(pointer(addresses.begin), addresses.bytes());
        return true;
    }

private:
    // It may only be read: then it is no misuse, which comparing at the end finds.
    static void open_tracked(Range addresses) {
        if (Tracker::concerns(pointer(addresses.begin), addresses.bytes())) Tracker::open_everything();
    }
};

// With the program's mask, and with the room of its stack: it may take long. The mask is opened within with_room: a signal that came
// between the two would find us on the program's stack, and begin on the alternate one where this handler's frame is.
void settle(const SystemCall &call, siginfo_t *info, const ucontext_t &context) {
    Meets meets;
    tell_memory_of(call, meets);
    if (!meets.met) return;
    struct Work {
        const SystemCall &call;
        sigset_t mask;
    } work{call, mask::without_ours(context.uc_sigmask)};
    fault::with_room(
        fault::access(info, context),
        [](void *it) {
            const Work &all = *static_cast<Work *>(it);
            sigset_t handlers;
            set_mask(and_cancellation(all.mask), &handlers);
            Settles settles;
            tell_memory_of(all.call, settles);
            set_mask(handlers, nullptr);
        },
        &work);
}

void settle_everything(const SystemCall &call, siginfo_t *info, const ucontext_t &context) {
    settle({-1, call.arguments}, info, context);
}

// --- calls that are made otherwise, so that our signals stay unblocked and our handlers stay ------------------------

//! From memory of the program's, which may be none.
template <class Value>
bool copy_in(Value &value, std::uintptr_t address) {
    const iovec to{&value, sizeof value}, from{pointer(address), sizeof value};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof value);
}

template <class Value>
bool copy_out(std::uintptr_t address, const Value &value) {
    const iovec from{const_cast<Value *>(&value), sizeof value}, to{pointer(address), sizeof value};
    return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == static_cast<ssize_t>(sizeof value);
}

constexpr std::size_t kernels_mask_bytes = 8;
using KernelsMask = std::uint64_t;

sigset_t to_libc(KernelsMask bits) {
    sigset_t mask;
    sigemptyset(&mask);
    std::memcpy(&mask, &bits, sizeof bits);
    return mask;
}

KernelsMask to_kernel(const sigset_t &mask) {
    KernelsMask bits;
    std::memcpy(&bits, &mask, sizeof bits);
    return bits;
}

struct KernelsAction {
    std::uintptr_t handler;
    std::uint64_t flags;
    std::uintptr_t restorer;
    KernelsMask mask;
};

// The mask is part of the context that the handler returns to.
bool changes_mask(const SystemCall &call, ucontext_t &context) {
    const auto [how, mask, before, bytes, _, __] = call.arguments;
    KernelsMask wanted = 0;
    if (bytes != kernels_mask_bytes || (mask && !copy_in(wanted, mask)) || (mask && how > SIG_SETMASK)) return false;
    const sigset_t as_set = to_libc(wanted);
    const sigset_t was = mask::change(static_cast<int>(how), mask ? &as_set : nullptr, context.uc_sigmask,
                                      section ? mask::Whose::libcs : mask::Whose::programs);
    answer(context, before && !copy_out(before, to_kernel(was)) ? -EFAULT : 0);
    return true;
}

// Of a signal of ours: the program has its handler in our records.
bool changes_our_action(const SystemCall &call, ucontext_t &context) {
    const auto [signal, action, before, bytes, _, __] = call.arguments;
    KernelsAction wanted{}, was{};
    if (!fault::handles(static_cast<int>(signal)) || bytes != kernels_mask_bytes ||
        (action && !copy_in(wanted, action)))
        return false;
    struct sigaction as_set {
    }, had{};
    as_set.sa_handler = reinterpret_cast<sighandler_t>(wanted.handler);
    as_set.sa_flags = static_cast<int>(wanted.flags);
    as_set.sa_mask = to_libc(wanted.mask);
    fault::change_action(static_cast<int>(signal), action ? &as_set : nullptr, &had);
    was = {reinterpret_cast<std::uintptr_t>(had.sa_handler), static_cast<std::uint64_t>(had.sa_flags), 0,
           to_kernel(had.sa_mask)};
    answer(context, before && !copy_out(before, was) ? -EFAULT : 0);
    return true;
}

//! Which argument of a call is a mask that blocks signals while it waits?
int argument_with_mask(long number) {
    switch (number) {
    case SYS_rt_sigsuspend:
        return 0;
    case SYS_ppoll:
        return 3;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        return 4;
    default:
        return -1;
    }
}

template <class Value>
void change_argument(ucontext_t &context, Frame &frame, std::size_t which, const Value &value) {
    std::memcpy(frame.changed_argument.data(), &value, sizeof value);
    set(context, argument_registers[which], addresses_of(frame.changed_argument.data(), 0).begin);
}

// pselect6 has the address of its mask in a pair.
void leave_out_ours(const SystemCall &call, ucontext_t &context, Frame &frame) {
    const auto open = [](KernelsMask bits) { return to_kernel(mask::without_ours(to_libc(bits))); };
    KernelsMask bits;
    if (const int which = argument_with_mask(call.number); which >= 0) {
        const auto argument = static_cast<std::size_t>(which);
        if (copy_in(bits, call.arguments[argument])) change_argument(context, frame, argument, open(bits));
    } else if (call.number == SYS_pselect6) {
        struct {
            std::uintptr_t mask, bytes;
            KernelsMask bits;
        } pair{};
        if (!copy_in(pair.mask, call.arguments[5]) || !copy_in(bits, pair.mask)) return;
        pair = {addresses_of(frame.changed_argument.data(), 0).begin + offsetof(decltype(pair), bits),
                kernels_mask_bytes, open(bits)};
        change_argument(context, frame, 5, pair);
    } else if (call.number == SYS_rt_sigaction) {
        KernelsAction action;
        if (!copy_in(action, call.arguments[1])) return;
        fault::note_handler(static_cast<int>(call.arguments[0]), reinterpret_cast<sighandler_t>(action.handler));
        action.mask = open(action.mask);
        change_argument(context, frame, 1, action);
    }
}

// --- the handler ----------------------------------------------------------------------------------------------------

constexpr int by_dispatch = 2; // SYS_USER_DISPATCH
constexpr unsigned x86_64 = 0xc000003e;

// The thread stays stopped but where the call must be made in its place: then everything has come, and it is stopped again when something
// is watched the next time.
void look_at(const SystemCall &call, siginfo_t *info, ucontext_t &context, Frame &frame) {
    const bool other_architecture = info->si_arch != x86_64;
    if (other_architecture || begins_a_thread(call)) {
        settle_everything(call, info, context);
        mine->may_block = true; // what follows is not seen
        return make_again(context, call.number);
    }
    settle(call, info, context);
    const bool done = (call.number == SYS_rt_sigprocmask && changes_mask(call, context)) ||
                      (call.number == SYS_rt_sigaction && changes_our_action(call, context));
    if (!done && call.number == SYS_rt_sigreturn)
        let_return(context);
    else if (!done) {
        let_through(context, call.number, frame);
        leave_out_ours(call, context, frame);
    }
    stop_if_watched();
}

SystemCall call_in(const ucontext_t &context, long number) {
    SystemCall call{number, {}};
    for (std::size_t k = 0; k < argument_registers.size(); k++) call.arguments[k] = get(context, argument_registers[k]);
    return call;
}

// Also where nothing else is looked at: the thread may be armed at any time.
bool blocks_signals_in_libc(const SystemCall &call, ucontext_t &context) {
    return section && call.number == SYS_rt_sigprocmask && changes_mask(call, context);
}

void see(siginfo_t *info, ucontext_t &context, Frame &frame) {
    mine->selector.exchange(passes);
    const SystemCall call = call_in(context, info->si_syscall);
    if (is_ours() || !watched) {
        if (!blocks_signals_in_libc(call, context)) make_again(context, call.number);
        if (!is_ours()) stop_if_watched(); // meanwhile
        return;
    }
    begin_ours(fault::access(info, context).stack);
    calls_seen++;
    look_at(call, info, context, frame);
    ours--;
}

// A frame must stay as it is until the call is made. On an alternate stack the next signal would begin where this one did: then it is on the
// program's stack, below its red zone. Else it is here: whatever comes next begins below it.
void on_call(int signal, siginfo_t *info, void *its_context) {
    auto &context = *static_cast<ucontext_t *>(its_context);
    if (info->si_code != by_dispatch || !mine) return fault::pass_on(signal, info, &context);
    const int error = errno;
    Frame here;
    const std::uintptr_t elsewhere = fault::stack_beside(context);
    see(info, context, elsewhere ? *static_cast<Frame *>(pointer(elsewhere - sizeof(Frame))) : here);
    errno = error;
    asm volatile("" : : "r"(&here) : "memory"); // it is used after its end
}

// --- start ----------------------------------------------------------------------------------------------------------

// Not asked but tried. getppid: no libc remembers its answer.
bool works() {
    const std::uint64_t before = calls_seen;
    const long parent = syscall(SYS_getppid);
    long copy = 0;
    if (!copy_in(copy, addresses_of(&parent, 0).begin) || copy != parent) return false;
    watched++;
    mine->selector = stops;
    const long told = syscall(SYS_getppid);
    mine->selector = passes;
    watched--;
    return calls_seen.exchange(before) == before + 1 && told == parent;
}

// A child has one thread, of which the kernel was not told.
void in_child() {
    on = false;
    for (Seen &each : seen) each.used = false;
    mine = nullptr;
    rest = {};
    section = nullptr;
    known = threads_seen = watched = unwatchable = 0;
}

} // namespace

std::string start(bool (*its_inside)()) {
    if (on) return "";
    static const int once = pthread_atfork(nullptr, nullptr, in_child);
    static_cast<void>(once);
    if (!mine && !see_this_thread()) {
        const bool full = std::all_of(seen.begin(), seen.end(), [](const Seen &each) { return each.used.load(); });
        return std::string("syscall user dispatch: ") + (full ? "there are too many threads" : std::strerror(errno));
    }
    fault::see_calls(on_call);
    on = true;
    inside = nullptr;
    const int was = std::exchange(ours, 0);
    const bool found = works();
    ours = was;
    inside = its_inside;
    if (found) return "";
    on = false;
    forget_this_thread();
    return "syscall user dispatch does not stop calls here";
}

namespace {

// Also a thread that is stopped already: it may have been let through since something was watched.
void stop_all() {
    const std::size_t most = most_used;
    for (std::size_t k = 0; k < most; k++) {
        if (!seen[k].used) continue;
        seen[k].may_block = true;
        seen[k].selector = stops;
    }
    if (mine) mine->selector.exchange(passes); // it is in our code, and stopped when it leaves it
}

bool every_thread_is_seen() {
    if (__libc_single_threaded) return mine;
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink <= 2 + known;
}

} // namespace

// No thread is stopped in an Unwatchable section, where it may have blocked our signals unseen. One that begins from now on sees that
// something is watched, and looks out itself.
bool watch() {
    if (!on) return true;
    if (rest.rests) wake();
    watches_begun++;
    watched++;
    if (unwatchable == 0) {
        stop_all();
        if (every_thread_is_seen()) return true;
    }
    threads_unseen++;
    return false;
}

void unwatch() {
    if (on) watched--;
}

bool watches() {
    return watched > 0;
}

bool is_on_a_stack(Range addresses) {
    const std::size_t most = most_used;
    return std::any_of(seen.begin(), seen.begin() + most, [addresses](const Seen &each) {
        return each.used && Range{each.stack_begin, each.stack_end}.intersects(addresses);
    });
}

const void *restorer() {
    return stretto_restorer;
}

void give_way(bool to_program) {
    gave_way = to_program;
    if (to_program && mine) forget_this_thread(false);
}

bool armed() {
    for (const Seen &each : seen)
        if (each.used && each.selector == stops) return true;
    return false;
}

void enter() {
    if (rest.rests && rest.unseen != threads_unseen) wake();
    if (!mine && !need_not_be_seen && !rest.rests) see_this_thread();
    if (mine && mine->selector.load(std::memory_order_relaxed) == stops) mine->selector.exchange(passes);
}

void leave() {
    if (!mine || ours > 0) return;
    if (!watched) return rest_if_quiet();
    if (mine->may_block.exchange(false)) mask::unblock_ours();
    stop_if_watched();
}

void leave(std::uintptr_t stack) {
    if (ours > 0 || section) {
        const Range own = own_stack();
        if (!own.covers({stack, stack + 1})) return; // of another stack than the thread's nobody knows
        const auto dead = [&](std::uintptr_t at) { return own.covers({at, at + 1}) && at < stack; };
        for (int k = std::min(ours, most_begins) - 1; k >= 0; k--)
            if (dead(begins[static_cast<std::size_t>(k)])) ours = k;
        Unwatchable::end_those(dead);
    }
    if (!is_ours()) leave();
}

Ours::Ours() : Ours(reinterpret_cast<std::uintptr_t>(this)) {}

Ours::Ours(std::uintptr_t stack) {
    begin_ours(stack);
    if (mine && mine->selector.load(std::memory_order_relaxed) == stops) mine->selector.exchange(passes);
}

Ours::~Ours() {
    ours--;
    if (!is_ours()) leave();
    errno = error_;
}

Unwatchable::Unwatchable() : outer_(std::exchange(section, this)) {
    unwatchable++;
    if (mine) stop_if_watched();
}

template <class Dead>
void Unwatchable::end_those(Dead dead) {
    for (; section && dead(reinterpret_cast<std::uintptr_t>(section)); section = section->outer_) unwatchable--;
}

Unwatchable::~Unwatchable() {
    section = outer_;
    unwatchable--;
    if (on) leave(); // a thread or a process was begun, by a call made in its place: see look_at
}

Thread::Thread(bool of_library) : of_library_(of_library) {
    if (of_library) known++;
}

void Thread::begin() {
    begun_ = true;
    if (of_library_)
        need_not_be_seen = true;
    else
        see_this_thread();
}

Thread::~Thread() {
    if (of_library_)
        known--;
    else if (begun_ && mine)
        forget_this_thread();
}

#else

std::string start(bool (*)()) {
    return "syscall user dispatch is for x86-64";
}
bool watch() {
    return true;
}
void unwatch() {}
bool watches() {
    return false;
}
bool is_on_a_stack(Range) {
    return false;
}
const void *restorer() {
    return nullptr;
}
void give_way(bool) {}
bool armed() {
    return false;
}
void enter() {}
void leave() {}
void leave(std::uintptr_t) {}
Ours::Ours() = default;
Ours::Ours(std::uintptr_t) {}
Ours::~Ours() {
    errno = error_;
}
Thread::Thread(bool of_library) : of_library_(of_library) {}
void Thread::begin() {
    begun_ = true;
}
Thread::~Thread() = default;

Unwatchable::Unwatchable() : outer_(nullptr) {}
Unwatchable::~Unwatchable() = default;

#endif

} // namespace stretto::pages::dispatch
