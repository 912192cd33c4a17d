// System calls on memory whose message is still on its way, by every route, and what would keep us from seeing them.
#include "pages/dispatch.h"
#include "pages/kernel.h"
#include "pages/tracker.h"
#include "wire.h"

#include <cerrno>
#include <csetjmp>
#include <ctime>
#include <linux/futex.h>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <thread>

extern char **environ;

namespace stretto::pages {
namespace {

// In place of the MPI library's calls: what the fixture does to receive is ours.
void receives(Range wanted, bool (*done)(void *), void *what) {
    const dispatch::Ours ours;
    Wire::until(wanted, done, what);
}

class DispatchHazard : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override {
        const std::string reason = dispatch::start(nullptr);
        if (!reason.empty()) GTEST_SKIP() << reason;
        const GuardingChoice choice = choose_guarding(GetParam());
        if (choice.guarding == Guarding::block) GTEST_SKIP() << choice.reason;
        Guard::start(choice, receives);
        ASSERT_EQ(pipe(ends), 0);
    }

    //! A message that comes while the program runs on.
    Guard *receive(std::size_t piece = page) {
        const dispatch::Ours ours;
        return Wire::receive(memory.at(), memory.bytes(), piece);
    }

    //! Many calls, in which nothing is watched.
    void be_quiet() {
        for (int k = 0; k < 1000; k++) const dispatch::Ours ours;
    }

    void end(Guard *guard) {
        const dispatch::Ours ours;
        EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
        Wire::end(guard);
    }

    //! Is what the other end of the pipe has the message's, from this byte on?
    void expect_in_pipe(std::size_t at, std::size_t bytes) {
        const dispatch::Ours ours;
        std::vector<char> got(bytes);
        ASSERT_EQ(::read(ends[0], got.data(), bytes), static_cast<ssize_t>(bytes));
        for (std::size_t k = 0; k < bytes; k++) ASSERT_EQ(got[k], Wire::content(at + k)) << k;
    }

    static constexpr std::size_t place = 5 * 4096;
    Pages memory{16};
    int ends[2] = {-1, -1};
};

INSTANTIATE_TEST_SUITE_P(mechanism, DispatchHazard, testing::Values("userfault", "mprotect"),
                         [](const auto &mechanism) { return std::string(mechanism.param); });

// --- routes ---------------------------------------------------------------------------------------------------------

TEST_P(DispatchHazard, a_system_call_by_no_function_of_libc_waits_for_what_it_reads) {
    Guard *guard = receive();
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 100), 100);
    EXPECT_LT(guard->missing(), memory.bytes());
    EXPECT_GT(guard->missing(), 0u) << "it waits for what it reads only";
    expect_in_pipe(place, 100);
    end(guard);
}

TEST_P(DispatchHazard, a_buffer_that_only_ends_in_it_is_written_whole) {
    Guard *guard = receive();
    EXPECT_EQ(write(ends[1], memory.at(place), 3 * page), static_cast<ssize_t>(3 * page));
    expect_in_pipe(place, 3 * page);
    end(guard);
}

TEST_P(DispatchHazard, a_list_of_buffers_names_them) {
    Guard *guard = receive();
    char *const elsewhere = memory.at(9 * page);
    iovec pieces[] = {{memory.at(place), 10}, {elsewhere, 10}};
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = 2;
    EXPECT_EQ(writev(ends[1], pieces, 2), 20);
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    EXPECT_EQ(sendmsg(pair[0], &message, 0), 20);
    mmsghdr messages[] = {{message, 0}};
    EXPECT_EQ(sendmmsg(pair[0], messages, 1, 0), 1);
    expect_in_pipe(place, 10);
    expect_in_pipe(9 * page, 10);
    end(guard);
}

// Who holds a lock of an allocator, and wakes the next one, must not wait for who brings the message and wants that lock.
TEST_P(DispatchHazard, what_lies_in_registers_that_are_no_arguments_is_not_waited_for) {
    Guard *guard = receive();
    const std::size_t missing = guard->missing();
    char *const at = memory.at(place);
    int word = 0;
    char here[10] = "";
    timespec time;
    EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, at, at, at), 0);
    EXPECT_EQ(syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1, at, at, at), 0)
        << "nor the place of a word that is not read";
    EXPECT_EQ(syscall(SYS_write, ends[1], here, sizeof here, at, at, at), static_cast<long>(sizeof here));
    EXPECT_EQ(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time, at, at, at, at), 0);
    EXPECT_EQ(syscall(SYS_getrandom, here, sizeof here, 0, at, at, at), static_cast<long>(sizeof here));
    EXPECT_EQ(syscall(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0, at) < 0, false);
    EXPECT_EQ(guard->missing(), missing);
    end(guard);
}

TEST_P(DispatchHazard, a_futex_reads_its_word) {
    Guard *guard = receive();
    std::uint32_t there = 0;
    for (std::size_t k = 0; k < sizeof there; k++) reinterpret_cast<char *>(&there)[k] = Wire::content(place + k);
    EXPECT_EQ(syscall(SYS_futex, memory.at(place), FUTEX_WAIT_PRIVATE, there + 1, nullptr, nullptr, 0), -1);
    EXPECT_EQ(errno, EAGAIN);
    end(guard);
}

TEST_P(DispatchHazard, a_list_that_is_no_memory_is_the_kernels_to_refuse) {
    Guard *guard = receive();
    EXPECT_EQ(syscall(SYS_writev, ends[1], nowhere(), 2), -1);
    EXPECT_EQ(errno, EFAULT);
    end(guard);
}

TEST_P(DispatchHazard, a_call_whose_arguments_do_not_tell_finds_all_there) {
    Guard *guard = receive();
    int waiting = 0;
    EXPECT_EQ(ioctl(ends[0], FIONREAD, &waiting), 0);
    EXPECT_EQ(guard->missing(), 0u);
    end(guard);
}

TEST_P(DispatchHazard, a_call_with_six_arguments_keeps_them_and_the_registers) {
    Guard *guard = receive();
    timespec soon{0, 1000};
    long answer = SYS_ppoll;
    register long six asm("r9") = 66;
    register sigset_t *five asm("r10") = nullptr;
    register long last asm("r8") = 8;
    void *first = nullptr;
    long second = 0;
    timespec *third = &soon;
    asm volatile("syscall"
                 : "+a"(answer), "+r"(six), "+r"(five), "+r"(last), "+D"(first), "+S"(second), "+d"(third)
                 :
                 : "rcx", "r11", "memory");
    const long ninth = six, eighth = last;
    EXPECT_EQ(answer, 0);
    EXPECT_EQ(ninth, 66);
    EXPECT_EQ(eighth, 8);
    EXPECT_EQ(third, &soon);
    end(guard);
}

TEST_P(DispatchHazard, what_comes_from_the_kernel_stays) {
    Guard *guard = receive();
    ASSERT_EQ(write(ends[1], "xyz", 3), 3);
    EXPECT_EQ(syscall(SYS_read, ends[0], memory.at(place), 3), 3);
    EXPECT_EQ(std::memcmp(memory.at(place), "xyz", 3), 0);
    EXPECT_EQ(*memory.at(place + 3), Wire::content(place + 3));
    for (std::size_t k = 0; k < 3; k++) *memory.at(place + k) = Wire::content(place + k);
    end(guard);
}

// --- memory that changes hands --------------------------------------------------------------------------------------

TEST_P(DispatchHazard, what_a_system_call_gives_back_is_not_waited_for) {
    Guard *guard = receive();
    EXPECT_EQ(syscall(SYS_madvise, memory.at(place), 4 * page, MADV_DONTNEED), 0);
    EXPECT_EQ(guard->missing(), memory.bytes());
    EXPECT_EQ(read_from(memory.at(place)), 0);
    EXPECT_EQ(read_from(memory.at(place + 4 * page)), Wire::content(place + 4 * page));
    const dispatch::Ours ours;
    Wire::deliver_all();
    Wire::end(guard);
    EXPECT_EQ(read_from(memory.at(place)), 0);
}

TEST_P(DispatchHazard, what_a_system_call_moves_has_come_first) {
    Pages elsewhere{16};
    Guard *guard = receive();
    EXPECT_EQ(
        syscall(SYS_mremap, memory.at(), memory.bytes(), memory.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere.at()),
        reinterpret_cast<long>(elsewhere.at()));
    EXPECT_EQ(guard->missing(), 0u);
    const dispatch::Ours ours;
    EXPECT_TRUE(is_message(elsewhere.at(), elsewhere.bytes()));
    Wire::end(guard);
}

// Who receives may hold the lock, and wait for a page that another thread of the program's fills.
TEST_P(DispatchHazard, a_thread_that_fills_pages_of_the_programs_own_userfaultfd_does_not_wait) {
    const int own = static_cast<int>(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC | O_NONBLOCK));
    uffdio_api api{};
    api.api = UFFD_API;
    if (own < 0 || ioctl(own, UFFDIO_API, &api) != 0) GTEST_SKIP() << "no userfaultfd";
    Pages watched(2), source(1);
    std::memset(source.at(), 7, page);
    uffdio_register all{};
    all.range = {reinterpret_cast<std::uintptr_t>(watched.at()), watched.bytes()};
    all.mode = UFFDIO_REGISTER_MODE_MISSING;
    ASSERT_EQ(ioctl(own, UFFDIO_REGISTER, &all), 0);
    Guard *guard = receive();
    uffdio_copy copy{};
    copy.dst = all.range.start;
    copy.src = reinterpret_cast<std::uintptr_t>(source.at());
    copy.len = page;
    EXPECT_EQ(ioctl(own, UFFDIO_COPY, &copy), 0);
    uffdio_zeropage zeros{};
    zeros.range = {all.range.start + page, page};
    EXPECT_EQ(ioctl(own, UFFDIO_ZEROPAGE, &zeros), 0);
    EXPECT_GT(guard->missing(), 0u);
    EXPECT_EQ(*watched.at(page - 1), 7);
    // But for what it fills them with.
    ASSERT_EQ(madvise(watched.at(), page, MADV_DONTNEED), 0);
    copy.src = reinterpret_cast<std::uintptr_t>(memory.at(3 * page));
    EXPECT_EQ(ioctl(own, UFFDIO_COPY, &copy), 0);
    EXPECT_EQ(std::memcmp(watched.at(), memory.at(3 * page), page), 0);
    end(guard);
    close(own);
}

// --- processes and threads ------------------------------------------------------------------------------------------

TEST_P(DispatchHazard, a_child_that_shares_memory_finds_all_there) {
    Guard *guard = receive();
    const pid_t child = vfork();
    if (child == 0) _exit(syscall(SYS_write, ends[1], memory.at(place), 10) == 10 ? 7 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    expect_in_pipe(place, 10);
    end(guard);
}

TEST_P(DispatchHazard, a_program_is_started_while_something_comes) {
    Guard *guard = receive();
    char word[] = "true", *words[] = {word, nullptr};
    pid_t child = 0;
    int status = -1;
    ASSERT_EQ(posix_spawn(&child, "/bin/true", nullptr, nullptr, words, environ), 0);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    end(guard);
}

TEST_P(DispatchHazard, a_thread_may_begin_while_something_comes) {
    Guard *guard = receive();
    int answer = 0;
    std::thread([&] { answer = 7; }).join();
    EXPECT_EQ(answer, 7);
    end(guard);
}

TEST_P(DispatchHazard, a_thread_that_is_announced_is_seen) {
    std::atomic<int> stage{0};
    long written = 0;
    std::thread other([&] {
        dispatch::Thread seen(false);
        seen.begin();
        stage = 1;
        while (stage != 2) std::this_thread::yield();
        written = syscall(SYS_write, ends[1], memory.at(place), 10);
    });
    while (stage != 1) sched_yield();
    Guard *guard = receive();
    EXPECT_EQ(guard->how() == Guarding::block, false);
    stage = 2;
    other.join();
    EXPECT_EQ(written, 10);
    expect_in_pipe(place, 10);
    end(guard);
}

TEST_P(DispatchHazard, beside_a_thread_that_nobody_sees_nothing_is_guarded) {
    std::atomic<bool> ends_now{false}, begun{false};
    std::thread unseen([&] {
        begun = true;
        while (!ends_now) usleep(100);
    });
    while (!begun) sched_yield();
    Guard *guard = receive();
    EXPECT_EQ(guard->how(), Guarding::block);
    ends_now = true;
    unseen.join();
    {
        const dispatch::Ours ours;
        Wire::wait_for_edges(guard);
    }
    end(guard);
}

TEST_P(DispatchHazard, where_libc_blocks_all_signals_nothing_is_guarded) {
    const dispatch::Unwatchable section;
    Guard *guard = receive();
    EXPECT_EQ(guard->how(), Guarding::block);
    {
        const dispatch::Ours ours;
        Wire::wait_for_edges(guard);
    }
    end(guard);
}

// As a handler that leaves system() by a jump.
[[gnu::noinline]] void leave_two_sections(sigjmp_buf to, void *its_stack) {
    const dispatch::Unwatchable section, inner;
    dispatch::leave(reinterpret_cast<std::uintptr_t>(its_stack));
    siglongjmp(to, 1);
}

TEST_P(DispatchHazard, who_leaves_such_a_section_by_a_jump_may_watch_again) {
    sigjmp_buf here;
    if (!sigsetjmp(here, 0)) leave_two_sections(here, __builtin_frame_address(0));
    Guard *guard = receive();
    EXPECT_NE(guard->how(), Guarding::block);
    end(guard);
}

TEST_P(DispatchHazard, a_thread_in_which_libc_blocks_all_signals_is_not_stopped) {
    std::atomic<int> stage{0};
    std::thread other([&] {
        dispatch::Thread seen(false);
        seen.begin();
        const dispatch::Unwatchable section;
        const std::uint64_t all = ~std::uint64_t{0};
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
        stage = 1;
        while (stage != 2) syscall(SYS_sched_yield); // the kernel would end the process
    });
    while (stage != 1) sched_yield();
    Guard *guard = receive();
    EXPECT_EQ(guard->how(), Guarding::block);
    usleep(1000);
    stage = 2;
    other.join();
    {
        const dispatch::Ours ours;
        Wire::wait_for_edges(guard);
    }
    end(guard);
}

// --- signals --------------------------------------------------------------------------------------------------------

TEST_P(DispatchHazard, who_blocks_all_signals_is_still_seen) {
    sigset_t all, was, now;
    sigfillset(&all);
    for (const bool before : {true, false}) {
        if (before) pthread_sigmask(SIG_BLOCK, &all, &was);
        Guard *guard = receive();
        if (!before) syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &was, 8);
        EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &was, &now), 0);
        for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGUSR1}) EXPECT_EQ(sigismember(&now, signal), 1) << signal;
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
        EXPECT_EQ(sigismember(&now, SIGSYS), 0);
        expect_in_pipe(place, 10);
        end(guard);
    }
}

TEST_P(DispatchHazard, a_thread_that_had_blocked_them_before_is_seen) {
    const std::uint64_t all = ~std::uint64_t{0}, none = 0; // behind all wrappers
    ASSERT_EQ(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8), 0);
    Guard *guard = receive();
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    ASSERT_EQ(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, 8), 0);
    expect_in_pipe(place, 10);
    end(guard);
}

struct Handler {
    static inline int file;
    static inline const char *bytes;
    static inline volatile long written;
    static void writes(int) { written = syscall(SYS_write, file, bytes, 10); }
};

TEST_P(DispatchHazard, a_handler_that_blocks_all_signals_may_make_calls) {
    struct sigaction action {};
    action.sa_handler = Handler::writes;
    sigfillset(&action.sa_mask);
    ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
    Handler::file = ends[1];
    Handler::bytes = memory.at(place);
    Handler::written = 0;
    Guard *guard = receive();
    raise(SIGUSR1);
    EXPECT_EQ(Handler::written, 10);
    EXPECT_GT(guard->missing(), 0u) << "nor does the return from a handler wait for everything";
    expect_in_pipe(place, 10);
    end(guard);
}

TEST_P(DispatchHazard, a_handler_that_runs_while_a_wait_blocks_all_others_may_make_calls) {
    sigset_t others;
    sigfillset(&others);
    sigdelset(&others, SIGALRM);
    signal(SIGALRM, Handler::writes);
    Handler::file = ends[1];
    Handler::bytes = memory.at(place);
    for (const bool by_select : {false, true}) {
        Handler::written = 0;
        Guard *guard = receive();
        const timespec long_enough{5, 0};
        const itimerval soon{{0, 0}, {0, 5000}};
        setitimer(ITIMER_REAL, &soon, nullptr);
        EXPECT_EQ(by_select ? pselect(0, nullptr, nullptr, nullptr, &long_enough, &others)
                            : ppoll(nullptr, 0, &long_enough, &others),
                  -1);
        EXPECT_EQ(Handler::written, 10);
        expect_in_pipe(place, 10);
        end(guard);
    }
}

TEST_P(DispatchHazard, a_handler_set_by_a_system_call_does_not_replace_ours) {
    struct {
        void (*handler)(int);
        unsigned long flags, restorer, mask;
    } none{SIG_DFL, 0, 0, 0};
    Guard *guard = receive();
    for (const int signal : {SIGSYS, SIGSEGV, SIGBUS})
        ASSERT_EQ(syscall(SYS_rt_sigaction, signal, &none, nullptr, 8), 0);
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    EXPECT_EQ(read_from(memory.at(9 * page)), Wire::content(9 * page));
    expect_in_pipe(place, 10);
    end(guard);
}

TEST_P(DispatchHazard, a_fault_of_the_programs_own_ends_it_while_something_comes) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto access_nothing = [this] {
        receive();
        *static_cast<volatile char *>(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) = 1;
    };
    EXPECT_EXIT(access_nothing(), testing::KilledBySignal(SIGSEGV), "");
    const auto is_stopped_by_a_filter = [this] {
        receive();
        raise(SIGSYS);
    };
    EXPECT_EXIT(is_stopped_by_a_filter(), testing::KilledBySignal(SIGSYS), "");
}

volatile int seen_by_program;

TEST_P(DispatchHazard, a_signal_of_somebody_elses_goes_to_the_programs_handler) {
    seen_by_program = 0;
    signal(SIGSYS, [](int) { seen_by_program = 1; });
    Guard *guard = receive();
    raise(SIGSYS);
    EXPECT_EQ(seen_by_program, 1);
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    expect_in_pipe(place, 10);
    end(guard);
    signal(SIGSYS, SIG_DFL);
}

TEST_P(DispatchHazard, a_call_made_on_a_small_alternate_stack_has_room) {
    const SmallStack small;
    Guard *guard = receive();
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    expect_in_pipe(place, 10);
    end(guard);
}

// The thread that asks for the mask is stopped in the very call that set it.
TEST_P(DispatchHazard, who_asks_for_its_mask_while_something_comes_is_told_what_it_set) {
    sigset_t all, was, now;
    sigfillset(&all);
    Guard *guard = receive();
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, &was), 0);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
    for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGUSR1}) {
        EXPECT_EQ(sigismember(&was, signal), 0) << signal;
        EXPECT_EQ(sigismember(&now, signal), 1) << signal;
    }
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &was, &now), 0);
    for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGUSR1}) EXPECT_EQ(sigismember(&now, signal), 1) << signal;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
    for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGUSR1}) EXPECT_EQ(sigismember(&now, signal), 0) << signal;
    expect_in_pipe(place, 10);
    end(guard);
}

//! Another thread sends signals one after the other, whose handler uses much of the alternate stack.
class Storm {
public:
    Storm() {
        struct sigaction action {};
        action.sa_handler = [](int) { // it overwrites what lies on the alternate stack where it begins
            volatile char much[16 * 1024];
            for (volatile char &byte : much) byte = 0;
        };
        action.sa_flags = SA_ONSTACK | SA_RESTART;
        EXPECT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
        const stack_t large{memory_.at(), 0, memory_.bytes()};
        EXPECT_EQ(sigaltstack(&large, &before_), 0);
        sender_ = std::thread([this, to = gettid()] {
            dispatch::Thread seen(false);
            seen.begin();
            begun_ = true;
            while (!over_) syscall(SYS_tgkill, getpid(), to, SIGUSR1); // pthread_kill blocks all signals meanwhile
        });
        while (!begun_) sched_yield();
    }
    ~Storm() {
        over_ = true;
        sender_.join();
        sigaltstack(&before_, nullptr);
    }

private:
    Pages memory_{64};
    stack_t before_{};
    std::atomic<bool> begun_{false}, over_{false};
    std::thread sender_;
};

TEST_P(DispatchHazard, signals_on_the_alternate_stack_meet_no_wait_of_ours_there) {
    const Storm storm;
    for (int k = 0; k < 200; k++) {
        Guard *guard = receive();
        ASSERT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
        expect_in_pipe(place, 10);
        end(guard); // touches the others
    }
}

struct Jump {
    static inline sigjmp_buf back;
    static void leaves(int) { siglongjmp(back, 1); }
};

[[gnu::noinline]] bool touch_is_left(const char *byte) {
    if (sigsetjmp(Jump::back, 1) != 0) return true;
    const itimerval soon{{0, 0}, {0, 5000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    static_cast<void>(read_from(byte));
    return false;
}

TEST_P(DispatchHazard, who_leaves_a_touch_by_a_jump_is_seen_again) {
    signal(SIGALRM, Jump::leaves);
    Guard *guard = receive();
    Wire::flows = 0;
    EXPECT_TRUE(touch_is_left(memory.at(place)));
    Guard::leave_touch();
    dispatch::leave(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    EXPECT_TRUE(dispatch::armed());
    Wire::flows = 1;
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    expect_in_pipe(place, 10);
    end(guard);
    signal(SIGALRM, SIG_DFL);
}

// --- what it must not do --------------------------------------------------------------------------------------------

TEST_P(DispatchHazard, nothing_stops_while_nothing_is_watched) {
    EXPECT_FALSE(dispatch::armed());
    Guard *guard = receive();
    EXPECT_TRUE(dispatch::watches());
    EXPECT_TRUE(dispatch::armed());
    while (guard->missing()) EXPECT_NE(read_from(memory.at(memory.bytes() - 1)), 0) << "a touch";
    static_cast<void>(read_from(memory.at()));
    end(guard);
    EXPECT_FALSE(dispatch::watches());
    const std::uint64_t before = dispatch::calls_seen;
    for (int k = 0; k < 100; k++) EXPECT_GT(syscall(SYS_getppid), 0);
    EXPECT_EQ(dispatch::calls_seen, before);
    EXPECT_FALSE(dispatch::armed());
}

TEST_P(DispatchHazard, a_thread_rests_where_nothing_was_watched_for_long_and_is_seen_again) {
    const std::uint64_t before = dispatch::rests;
    be_quiet();
    EXPECT_EQ(dispatch::rests, before + 1);
    Guard *guard = receive();
    EXPECT_EQ(write(ends[1], memory.at(place), 100), 100);
    EXPECT_GT(guard->missing(), 0u) << "it waits for what it reads only";
    expect_in_pipe(place, 100);
    end(guard);
}

TEST_P(DispatchHazard, a_thread_that_rests_is_seen_again_when_another_could_watch_nothing) {
    be_quiet();
    std::thread([] {
        const dispatch::Thread of_library(true);
        EXPECT_FALSE(dispatch::watch());
        dispatch::unwatch();
    }).join();
    dispatch::enter();
    dispatch::leave();
    std::thread([] {
        const dispatch::Thread of_library(true);
        EXPECT_TRUE(dispatch::watch());
        dispatch::unwatch();
    }).join();
}

TEST_P(DispatchHazard, a_thread_beside_others_does_not_rest) {
    std::atomic<bool> begun{false}, ends_now{false};
    std::thread thread([&] {
        dispatch::Thread seen(false);
        seen.begin();
        begun = true;
        while (!ends_now) usleep(100);
    });
    while (!begun) sched_yield();
    const std::uint64_t before = dispatch::rests;
    be_quiet();
    EXPECT_EQ(dispatch::rests, before);
    ends_now = true;
    thread.join();
}

TEST_P(DispatchHazard, to_write_out_what_was_sent_is_no_misuse) {
    if (choose_tracking(GetParam()).tracking == Tracking::none) GTEST_SKIP();
    std::optional<dispatch::Ours> ours(std::in_place);
    Tracker::start(choose_tracking(GetParam()).tracking, nullptr);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 2 * page);
    ours.reset();
    for (std::size_t at = 0; at < memory.bytes(); at += page) write_to(memory.at(at), 'p');
    ours.emplace();
    EXPECT_FALSE(tracker->take().empty());
    ours.reset();
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(), 10), 10);
    EXPECT_EQ(access(memory.at(page), R_OK), -1);
    EXPECT_EQ(syscall(SYS_read, ends[0], memory.at(15 * page), 10), 10) << "nor does it fail where it has not left";
    ours.emplace();
    EXPECT_FALSE(tracker->end());
}

// libc restores the mask that it was told, unseen: the thread was let through to begin another one.
TEST_P(DispatchHazard, threads_may_begin_one_after_the_other_while_something_is_sent) {
    std::optional<dispatch::Ours> ours(std::in_place);
    Tracker::start(choose_tracking(GetParam()).tracking, nullptr);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), page);
    ours.reset();
    for (int k = 0; k < 3; k++) {
        std::thread other;
        {
            const dispatch::Unwatchable section;
            other = std::thread([] { dispatch::Thread(false).begin(); });
        }
        other.join();
    }
    EXPECT_TRUE(dispatch::watches());
    EXPECT_EQ(syscall(SYS_write, ends[1], memory.at(place), 10), 10);
    ours.emplace();
    EXPECT_FALSE(tracker->end());
}

} // namespace
} // namespace stretto::pages
