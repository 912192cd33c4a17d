#include "pages/call_memory.h"

#include "pages/kernel.h"
#include "pages/libc.h"
#include "pages/memory.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <tuple>
#include <unistd.h>

#if defined(__x86_64__) // whose system calls alone are seen: dispatch.h

namespace stretto::pages {

namespace {

// No struct of the kernel's interface, and no path, is longer.
constexpr std::size_t a_struct = 4096;
// No element of an array that a call is given is longer (msghdr apart, which has a reader of its own).
constexpr std::size_t an_element = 16;
// Below it there are no programs' pages: a number, not an address.
constexpr std::uintptr_t lowest_address = 1 << 12;
constexpr std::size_t most_elements = 1024; // IOV_MAX, UIO_MAXIOV

constexpr std::size_t most_arguments = std::tuple_size_v<decltype(SystemCall::arguments)>;

//! What the arguments of a call mean.
enum class Kind : std::uint8_t {
    numbers,    //!< no addresses
    structs,    //!< addresses of structs and paths
    sized,      //!< of arrays, too, whose length is another argument
    buffer,     //!< the second is a buffer, of as many bytes as the third says; those after it are of structs
    pieces,     //!< the second is an array of iovec, of as many as the third says
    message,    //!< the second is a msghdr
    messages,   //!< the second is an array of mmsghdr, of as many as the third says; those after it are of structs
    futex,      //!< which of them are addresses the second tells
    memory,     //!< the first is a range of memory that changes, of as many bytes as the second says as a rule
    everything, //!< they do not tell
};

struct Meaning {
    Kind kind;
    Use use; // of buffers
    std::size_t arguments = most_arguments;
};

//! How many arguments it has: the other registers must not pass for addresses. A program may hold a lock of libc's, which who brings the message
//! waits for.
struct Call {
    long number;
    std::size_t arguments;
};

// In the order of their numbers nobody could check them: by kind, looked up in a table that is made once.
constexpr long of_numbers[] = {SYS_close,
                               SYS_lseek,
                               SYS_dup,
                               SYS_dup2,
                               SYS_dup3,
                               SYS_pause,
                               SYS_alarm,
                               SYS_getpid,
                               SYS_getppid,
                               SYS_gettid,
                               SYS_socket,
                               SYS_shutdown,
                               SYS_listen,
                               SYS_exit,
                               SYS_exit_group,
                               SYS_kill,
                               SYS_tkill,
                               SYS_tgkill,
                               SYS_semget,
                               SYS_msgget,
                               SYS_shmget,
                               SYS_flock,
                               SYS_fsync,
                               SYS_fdatasync,
                               SYS_ftruncate,
                               SYS_fchdir,
                               SYS_fchmod,
                               SYS_fchown,
                               SYS_umask,
                               SYS_getuid,
                               SYS_getgid,
                               SYS_geteuid,
                               SYS_getegid,
                               SYS_setuid,
                               SYS_setgid,
                               SYS_setpgid,
                               SYS_getpgid,
                               SYS_getpgrp,
                               SYS_setsid,
                               SYS_getsid,
                               SYS_setreuid,
                               SYS_setregid,
                               SYS_setresuid,
                               SYS_setresgid,
                               SYS_personality,
                               SYS_getpriority,
                               SYS_setpriority,
                               SYS_sched_yield,
                               SYS_sched_getscheduler,
                               SYS_sched_get_priority_max,
                               SYS_sched_get_priority_min,
                               SYS_munlockall,
                               SYS_sync,
                               SYS_syncfs,
                               SYS_readahead,
                               SYS_sync_file_range,
                               SYS_fallocate,
                               SYS_fadvise64,
                               SYS_restart_syscall,
                               SYS_epoll_create,
                               SYS_epoll_create1,
                               SYS_eventfd,
                               SYS_eventfd2,
                               SYS_timerfd_create,
                               SYS_inotify_init,
                               SYS_inotify_init1,
                               SYS_inotify_rm_watch,
                               SYS_timer_getoverrun,
                               SYS_timer_delete,
                               SYS_membarrier,
                               SYS_ioprio_get,
                               SYS_ioprio_set,
                               SYS_pidfd_open,
                               SYS_close_range,
                               SYS_tee,
                               SYS_rt_sigreturn,
                               SYS_pkey_alloc,
                               SYS_pkey_free};
constexpr Call of_structs[] = {{SYS_open, 3},
                               {SYS_openat, 4},
                               {SYS_openat2, 4},
                               {SYS_creat, 2},
                               {SYS_stat, 2},
                               {SYS_fstat, 2},
                               {SYS_lstat, 2},
                               {SYS_newfstatat, 4},
                               {SYS_statx, 5},
                               {SYS_statfs, 2},
                               {SYS_fstatfs, 2},
                               {SYS_access, 2},
                               {SYS_faccessat, 3},
                               {SYS_faccessat2, 4},
                               {SYS_symlink, 2},
                               {SYS_symlinkat, 3},
                               {SYS_link, 2},
                               {SYS_linkat, 5},
                               {SYS_rename, 2},
                               {SYS_renameat, 4},
                               {SYS_renameat2, 5},
                               {SYS_unlink, 1},
                               {SYS_unlinkat, 3},
                               {SYS_mkdir, 2},
                               {SYS_mkdirat, 3},
                               {SYS_rmdir, 1},
                               {SYS_mknod, 3},
                               {SYS_mknodat, 4},
                               {SYS_chmod, 2},
                               {SYS_fchmodat, 3},
                               {SYS_chown, 3},
                               {SYS_lchown, 3},
                               {SYS_fchownat, 5},
                               {SYS_truncate, 2},
                               {SYS_utime, 2},
                               {SYS_utimes, 2},
                               {SYS_utimensat, 4},
                               {SYS_futimesat, 3},
                               {SYS_chdir, 1},
                               {SYS_chroot, 1},
                               {SYS_inotify_add_watch, 3},
                               {SYS_memfd_create, 2},
                               {SYS_name_to_handle_at, 5},
                               {SYS_removexattr, 2},
                               {SYS_lremovexattr, 2},
                               {SYS_fremovexattr, 2},
                               {SYS_mq_open, 4},
                               {SYS_mq_unlink, 1},
                               {SYS_mq_getsetattr, 3},
                               {SYS_mq_notify, 2},
                               {SYS_wait4, 4},
                               {SYS_waitid, 5},
                               {SYS_fcntl, 3},
                               {SYS_sendfile, 4},
                               {SYS_copy_file_range, 6},
                               {SYS_splice, 6},
                               {SYS_clock_gettime, 2},
                               {SYS_clock_settime, 2},
                               {SYS_clock_getres, 2},
                               {SYS_gettimeofday, 2},
                               {SYS_settimeofday, 2},
                               {SYS_time, 1},
                               {SYS_times, 1},
                               {SYS_nanosleep, 2},
                               {SYS_clock_nanosleep, 4},
                               {SYS_setitimer, 3},
                               {SYS_getitimer, 2},
                               {SYS_timer_create, 3},
                               {SYS_timer_settime, 4},
                               {SYS_timer_gettime, 2},
                               {SYS_timerfd_settime, 4},
                               {SYS_timerfd_gettime, 2},
                               {SYS_adjtimex, 1},
                               {SYS_clock_adjtime, 2},
                               {SYS_select, 5},
                               {SYS_pselect6, 6},
                               {SYS_epoll_ctl, 4},
                               {SYS_pipe, 1},
                               {SYS_pipe2, 2},
                               {SYS_socketpair, 4},
                               {SYS_rt_sigaction, 4},
                               {SYS_rt_sigprocmask, 4},
                               {SYS_rt_sigpending, 2},
                               {SYS_rt_sigtimedwait, 4},
                               {SYS_rt_sigqueueinfo, 3},
                               {SYS_rt_tgsigqueueinfo, 4},
                               {SYS_rt_sigsuspend, 2},
                               {SYS_signalfd, 3},
                               {SYS_signalfd4, 4},
                               {SYS_pidfd_send_signal, 4},
                               {SYS_bind, 3},
                               {SYS_connect, 3},
                               {SYS_getsockname, 3},
                               {SYS_getpeername, 3},
                               {SYS_accept, 3},
                               {SYS_accept4, 4},
                               {SYS_semctl, 4},
                               {SYS_msgctl, 3},
                               {SYS_shmctl, 3},
                               {SYS_semtimedop, 4},
                               {SYS_uname, 1},
                               {SYS_sysinfo, 1},
                               {SYS_getrusage, 2},
                               {SYS_getrlimit, 2},
                               {SYS_setrlimit, 2},
                               {SYS_prlimit64, 4},
                               {SYS_getresuid, 3},
                               {SYS_getresgid, 3},
                               {SYS_sched_getparam, 2},
                               {SYS_sched_setparam, 2},
                               {SYS_sched_setscheduler, 3},
                               {SYS_sched_rr_get_interval, 2},
                               {SYS_sched_getattr, 4},
                               {SYS_sched_setattr, 3},
                               {SYS_getcpu, 3},
                               {SYS_capget, 2},
                               {SYS_capset, 2},
                               {SYS_set_tid_address, 1},
                               {SYS_get_robust_list, 3},
                               {SYS_set_robust_list, 2},
                               {SYS_arch_prctl, 2},
                               {SYS_prctl, 5}};
constexpr Call of_sizes[] = {{SYS_poll, 3},
                             {SYS_ppoll, 5},
                             {SYS_epoll_wait, 4},
                             {SYS_epoll_pwait, 6},
                             {SYS_epoll_pwait2, 6},
                             {SYS_readlink, 3},
                             {SYS_readlinkat, 4},
                             {SYS_getcwd, 2},
                             {SYS_getxattr, 4},
                             {SYS_lgetxattr, 4},
                             {SYS_fgetxattr, 4},
                             {SYS_setxattr, 5},
                             {SYS_lsetxattr, 5},
                             {SYS_fsetxattr, 5},
                             {SYS_listxattr, 3},
                             {SYS_llistxattr, 3},
                             {SYS_flistxattr, 3},
                             {SYS_setsockopt, 5},
                             {SYS_getsockopt, 5},
                             {SYS_semop, 3},
                             {SYS_msgsnd, 4},
                             {SYS_msgrcv, 5},
                             {SYS_mq_timedsend, 5},
                             {SYS_mq_timedreceive, 5},
                             {SYS_getrandom, 3},
                             {SYS_getgroups, 2},
                             {SYS_setgroups, 2},
                             {SYS_sched_getaffinity, 3},
                             {SYS_sched_setaffinity, 3},
                             {SYS_get_mempolicy, 5},
                             {SYS_set_mempolicy, 3},
                             {SYS_sethostname, 2},
                             {SYS_setdomainname, 2},
                             {SYS_syslog, 3}};
constexpr Call of_buffers_read[] = {{SYS_write, 3}, {SYS_pwrite64, 4}, {SYS_sendto, 6}};
constexpr Call of_buffers_written[] = {
    {SYS_read, 3}, {SYS_pread64, 4}, {SYS_recvfrom, 6}, {SYS_getdents, 3}, {SYS_getdents64, 3}};
constexpr long of_pieces_read[] = {SYS_writev, SYS_pwritev, SYS_pwritev2, SYS_vmsplice};
constexpr long of_pieces_written[] = {SYS_readv, SYS_preadv, SYS_preadv2};
constexpr long of_memory[] = {SYS_mmap,    SYS_munmap, SYS_mremap, SYS_mprotect, SYS_pkey_mprotect,
                              SYS_madvise, SYS_mlock,  SYS_mlock2, SYS_munlock,  SYS_msync,
                              SYS_mincore, SYS_mbind,  SYS_brk,    SYS_shmat};

constexpr std::size_t most_numbers = 512;

constexpr std::array<Meaning, most_numbers> meanings = [] {
    std::array<Meaning, most_numbers> all;
    all.fill({Kind::everything, Use::either}); // explicitly: GCC 12 initializes them with zeros
    const auto set = [&](const auto &numbers, Kind kind, Use use = Use::either) {
        for (const long number : numbers) all[static_cast<std::size_t>(number)] = {kind, use};
    };
    const auto set_counted = [&](const auto &calls, Kind kind, Use use = Use::either) {
        for (const Call &call : calls) all[static_cast<std::size_t>(call.number)] = {kind, use, call.arguments};
    };
    set(of_numbers, Kind::numbers);
    set_counted(of_structs, Kind::structs);
    set_counted(of_sizes, Kind::sized);
    set_counted(of_buffers_read, Kind::buffer, Use::reads);
    set_counted(of_buffers_written, Kind::buffer, Use::writes);
    set(of_pieces_read, Kind::pieces, Use::reads);
    set(of_pieces_written, Kind::pieces, Use::writes);
    all[SYS_sendmsg] = {Kind::message, Use::reads};
    all[SYS_recvmsg] = {Kind::message, Use::writes};
    all[SYS_sendmmsg] = {Kind::messages, Use::reads};
    all[SYS_recvmmsg] = {Kind::messages, Use::writes, 5};
    set(of_memory, Kind::memory);
    all[SYS_futex] = {Kind::futex, Use::either};
    return all;
}();

constexpr Meaning meaning_of(long number) {
    const auto at = static_cast<std::size_t>(number); // a negative one is too large
    return at < meanings.size() ? meanings[at] : Meaning{Kind::everything, Use::either};
}
static_assert(meaning_of(SYS_ioctl).kind == Kind::everything && meaning_of(-1).kind == Kind::everything);

//! Tells what the arguments of one call name.
class Teller {
public:
    Teller(const SystemCall &its_call, CallMemory &its_listener)
        : call(its_call), meaning(meaning_of(call.number)), listener(its_listener) {}

    void tell() {
        const bool names_a_file = meaning.kind == Kind::buffer || meaning.kind == Kind::pieces;
        if (names_a_file && argument(0) < is_own_memory.size() && is_own_memory[argument(0)])
            return listener.everything();
        switch (meaning.kind) {
        case Kind::numbers:
            break;
        case Kind::structs:
            structs(0, a_struct);
            if (call.number == SYS_pselect6) mask_in_pair(argument(5));
            break;
        case Kind::sized:
            structs(0, a_struct + an_element * longest_length());
            break;
        case Kind::buffer:
            use(argument(1), argument(2), meaning.use);
            structs(3, std::max<std::size_t>(a_struct, argument(2))); // in /proc/self/mem the place is an address
            break;
        case Kind::pieces:
            pieces(argument(1), argument(2));
            break;
        case Kind::message:
            messages<msghdr>(1);
            break;
        case Kind::messages:
            messages<mmsghdr>(std::min<std::size_t>(argument(2), most_elements));
            structs(3, a_struct);
            break;
        case Kind::futex:
            futex();
            break;
        case Kind::memory:
            changes();
            break;
        case Kind::everything:
            if (!fills_pages()) listener.everything();
        }
    }

private:
    std::uintptr_t argument(std::size_t k) const { return call.arguments[k]; }

    static Range range(std::uintptr_t address, std::size_t bytes) {
        return {address, address + std::min<std::size_t>(bytes, UINTPTR_MAX - address)};
    }

    void use(std::uintptr_t address, std::size_t bytes, Use how) {
        if (address >= lowest_address && bytes > 0) listener.used(range(address, bytes), how);
    }

    void use(const void *address, std::size_t bytes, Use how) { use(addresses_of(address, 0).begin, bytes, how); }

    void structs(std::size_t first, std::size_t bytes) {
        for (std::size_t k = first; k < meaning.arguments; k++) use(argument(k), bytes, Use::either);
    }

    // To wake another thread reads nothing: that one may hold the lock which we would wait for. Among processes the word must be there.
    void futex() {
        const std::uintptr_t command = argument(1) & static_cast<std::uintptr_t>(FUTEX_CMD_MASK);
        const auto one_of = [command](auto... these) {
            return ((command == static_cast<std::uintptr_t>(these)) || ...);
        };
        if (one_of(FUTEX_WAKE, FUTEX_WAKE_BITSET) && (argument(1) & FUTEX_PRIVATE_FLAG)) return;
        use(argument(0), sizeof(std::uint32_t), Use::either);
        if (one_of(FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_WAIT_REQUEUE_PI))
            use(argument(3), sizeof(timespec), Use::reads);
        if (one_of(FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI))
            use(argument(4), sizeof(std::uint32_t), Use::either);
    }

    std::size_t longest_length() const {
        std::size_t most = 0;
        for (std::size_t k = 0; k < meaning.arguments; k++)
            if (argument(k) < (std::uintptr_t{1} << 32)) most = std::max<std::size_t>(most, argument(k));
        return most;
    }

    //! Calls each(element) for copies of them: what is no memory is the kernel's to tell.
    template <class Element, class Each>
    void for_each(std::uintptr_t address, std::size_t count, Each each) {
        constexpr std::size_t at_a_time = 512 / sizeof(Element); // an alternate stack may be small
        if (count == 0 || count > most_elements) return;         // EINVAL
        if (!listener.list(range(address, count * sizeof(Element)))) return;
        std::array<Element, at_a_time> copy;
        for (std::size_t at = 0; at < count; at += at_a_time) {
            const std::size_t n = std::min(at_a_time, count - at);
            const iovec to{copy.data(), n * sizeof(Element)}, from{pointer(address + at * sizeof(Element)), to.iov_len};
            const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
            if (got < 0 && errno != EFAULT) return listener.everything();
            for (std::size_t k = 0; (k + 1) * sizeof(Element) <= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
                 k++)
                each(copy[k]);
        }
    }

    void pieces(std::uintptr_t address, std::size_t count) {
        use(address, count * sizeof(iovec), Use::reads);
        for_each<iovec>(address, count, [&](const iovec &piece) { use(piece.iov_base, piece.iov_len, meaning.use); });
    }

    // Its sixth argument is a mask's address and length.
    void mask_in_pair(std::uintptr_t address) {
        for_each<iovec>(address, 1, [&](const iovec &mask) { use(mask.iov_base, mask.iov_len, Use::reads); });
    }

    static const msghdr &header(const msghdr &message) { return message; }
    static const msghdr &header(const mmsghdr &message) { return message.msg_hdr; }

    // Also what the kernel says of a message that it sends is written into its header.
    template <class Message>
    void messages(std::size_t count) {
        use(argument(1), count * sizeof(Message), Use::either);
        for_each<Message>(argument(1), count, [&](const Message &each) {
            const msghdr &message = header(each);
            use(message.msg_name, message.msg_namelen, meaning.use);
            use(message.msg_control, message.msg_controllen, meaning.use);
            pieces(addresses_of(message.msg_iov, 0).begin, message.msg_iovlen);
        });
    }

    // A thread that fills pages of a userfaultfd of the program's: a rank may hold the lock and wait for such a page.
    bool fills_pages() {
        if (call.number != SYS_ioctl) return false;
        switch (argument(1)) {
        case UFFDIO_COPY:
            for_each<uffdio_copy>(argument(2), 1,
                                  [&](const uffdio_copy &copy) { use(copy.src, copy.len, Use::reads); });
            [[fallthrough]];
        case UFFDIO_ZEROPAGE:
        case UFFDIO_WAKE:
            use(argument(2), sizeof(uffdio_copy), Use::either);
            return true;
        }
        return false;
    }

    void change(std::uintptr_t address, std::size_t bytes, Change change) {
        if (address >= lowest_address && bytes > 0) listener.changed(range(address, bytes), change);
    }

    // New memory where nothing was is nobody's.
    void changes() {
        switch (call.number) {
        case SYS_mmap:
            if ((argument(3) & MAP_FIXED) && (argument(3) & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE)
                change(argument(0), argument(1), Change::given_back);
            return;
        case SYS_munmap:
            return change(argument(0), argument(1), Change::given_back);
        case SYS_madvise:
            return change(argument(0), argument(1),
                          drops(static_cast<int>(argument(2))) ? Change::given_back : Change::altered);
        case SYS_mremap: {
            const std::uintptr_t before = argument(1), after = argument(2);
            if (after < before) change(argument(0) + after, before - after, Change::given_back);
            change(argument(0), std::min(before, after), Change::moved);
            if (argument(3) & MREMAP_FIXED) change(argument(4), after, Change::given_back);
            return;
        }
        case SYS_brk: { // the heap's end comes down
            const auto end = addresses_of(NEXT(sbrk)(0), 0).begin;
            if (argument(0) && argument(0) < end) change(argument(0), end - argument(0), Change::given_back);
            return;
        }
        case SYS_shmat:
            if ((argument(2) & SHM_REMAP) && argument(1)) {
                shmid_ds of;
                if (shmctl(static_cast<int>(argument(0)), IPC_STAT, &of) == 0)
                    change(argument(1), of.shm_segsz, Change::given_back);
            }
            return;
        case SYS_mincore: // a byte for each page
        case SYS_mbind:
            structs(2, a_struct + argument(1) / page_bytes());
            [[fallthrough]];
        default:
            change(argument(0), argument(1), Change::altered);
        }
    }

    const SystemCall &call;
    const Meaning meaning;
    CallMemory &listener;
};

} // namespace

void tell_memory_of(const SystemCall &call, CallMemory &listener) {
    Teller(call, listener).tell();
}

bool begins_a_thread(const SystemCall &call) {
    switch (call.number) {
    case SYS_vfork:
    case SYS_clone3:
        return true;
    case SYS_clone:
        return (call.arguments[0] & CLONE_VM) || call.arguments[1];
    default:
        return false;
    }
}

} // namespace stretto::pages

#endif
