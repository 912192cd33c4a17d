/* within NAME: rank 1 receives a message and, while it still comes, has handlers, masks, children and calls of its own that go wrong. All is as with
 * plain MPI: it prints OK. */
#include "slowly.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>

extern char **environ;
enum { PAGES = 64, TIMES = 5, USER_DISPATCH = 59 };
static int bad;
#define MUST(what) must(!!(what), #what)
static void must(int good, const char *what) {
    if (!good) bad++, printf("not so: %s\n", what);
}
static void end(void) {
    let_come();
    for (size_t k = 0; k < BYTES; k++)
        if (block[k] != 'm') {
            bad++;
            break;
        }
    puts(bad ? "wrong" : "OK");
}
static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags, int also) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    if (also) sigaddset(&action.sa_mask, also);
    sigaction(signal, &action, NULL);
}
/* Which of three signals this thread blocks. */
static int blocked(void) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, SIGSEGV) | sigismember(&mask, SIGBUS) << 1 | sigismember(&mask, SIGUSR1) << 2;
}

/* --- faults of the program's own -------------------------------------------------------------------------------------------------- */

static char *arena;
static int file;
static volatile int handled, seen_inside;

static char *page_of(const siginfo_t *info) {
    return (char *)((size_t)info->si_addr / PAGE * PAGE);
}
static void fill_from_the_message(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    mprotect(page_of(info), PAGE, PROT_READ | PROT_WRITE);
    memcpy(page_of(info), block + LATE + (page_of(info) - arena), PAGE);
    handled++;
}
static void a_handler_reads_the_message(void) {
    arena = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGSEGV, fill_from_the_message, 0, 0);
    receive();
    let_come();
    for (int k = 0; k < PAGES; k++) MUST(arena[(k * 37 % PAGES) * PAGE] == 'm');
    MUST(handled == PAGES && blocked() == 0);
    end();
}

static void lengthen(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    MUST(ftruncate(file, page_of(info) - arena + PAGE) == 0);
    handled++;
}
static void a_handler_lengthens_a_file(void) {
    file = (int)syscall(SYS_memfd_create, "arena", 0);
    arena = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    handle(SIGBUS, lengthen, 0, SIGSEGV);
    receive();
    for (int k = 0; k < PAGES; k++) arena[k * PAGE] = (char)k;
    MUST(handled == PAGES && blocked() == 0);
    end();
}

static sigjmp_buf before;
static void jump_out(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    seen_inside = blocked();
    siglongjmp(before, 1);
}
static void jumps_out_of_faults(void) {
    arena = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGSEGV, jump_out, 0, SIGUSR1);
    receive();
    for (int k = 0; k < 2 * TIMES; k++) {
        if (sigsetjmp(before, 1) == 0) arena[0]++, MUST(!"it faults");
        MUST(seen_inside == 5 && blocked() == 0);
        if (k == TIMES) MUST(touched() == 'm'), all_has_come();
    }
    end();
}

static void look(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    seen_inside = blocked(), handled++;
}
static void masks_in_handlers(void) {
    handle(SIGSEGV, look, 0, SIGUSR1);
    handle(SIGBUS, look, SA_NODEFER, 0);
    receive();
    for (int k = 0; k < TIMES; k++) {
        raise(SIGSEGV);
        MUST(seen_inside == 5 && blocked() == 0);
        raise(SIGBUS);
        MUST(seen_inside == 0 && blocked() == 0);
    }
    MUST(handled == 2 * TIMES);
    end();
}

/* --- handlers that interrupt the allocator, which holds its lock long: it joins many small chunks ---------------------------------- */

enum { CHUNKS = 200000, SMALL = 64, NO_SMALL_ONE = 4000, JOINS = 100000, SOON = 500 };
static volatile char came;
static void *volatile used; /* else the compiler leaves out what is allocated and freed */

static void touch(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    came = touched();
}
static void let_chunks_be_joined(void) {
    static void *chunks[CHUNKS];
    for (int k = 0; k < CHUNKS; k++) chunks[k] = malloc(SMALL);
    for (int k = 0; k < CHUNKS; k++) free(chunks[k]);
}
static void touch_soon(void) {
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, SOON}}, NULL);
}
static void has_touched(void) {
    for (int k = 0; k < 1000 && !came; k++) usleep(1000);
    MUST(came == 'm');
}
static void a_handler_interrupts_malloc(void) {
    handle(SIGALRM, touch, SA_RESTART, 0);
    receive();
    let_chunks_be_joined(), touch_soon();
    used = malloc(NO_SMALL_ONE);
    has_touched();
    end();
}

sighandler_t __sysv_signal(int, sighandler_t); /* signal() of strict ISO C */
static void touch_as_iso_c(int signal) {
    touch(signal, NULL, NULL);
}
static void a_handler_of_iso_c_interrupts_free(void) {
    used = malloc(JOINS);
    __sysv_signal(SIGALRM, touch_as_iso_c);
    receive();
    let_chunks_be_joined(), touch_soon();
    free(used);
    has_touched();
    end();
}

/* --- system calls that the program has stopped ------------------------------------------------------------------------------------ */

static volatile char selector;
static void answer_instead(int signal, siginfo_t *info, void *context) {
    (void)signal;
    selector = 0; /* SYSCALL_DISPATCH_FILTER_ALLOW */
    if (info->si_syscall == SYS_getpriority) ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4242, handled++;
}
static void a_sandbox_of_its_own(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    handle(SIGSYS, answer_instead, 0, 0);
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0);
    MUST(prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &program, 0L, 0L) == 0);
    receive();
    for (int k = 0; k < TIMES; k++) MUST(syscall(SYS_getpriority, 0, 0) == 4242);
    MUST(handled == TIMES);
    end();
}

static void calls_stopped_by_dispatch(void) {
    handle(SIGSYS, answer_instead, SA_NODEFER, 0);
    receive();
    let_come();
    for (int k = 0; k < TIMES; k++) {
        MUST(prctl(USER_DISPATCH, 1L, 0L, 0L, &selector) == 0);
        selector = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */
        MUST(syscall(SYS_getpriority, 0, 0) == 4242);
        MUST(prctl(USER_DISPATCH, 0L, 0L, 0L, 0L) == 0);
    }
    MUST(handled == TIMES);
    end();
}

/* --- children and threads --------------------------------------------------------------------------------------------------------- */

static char *const grep[] = {"grep", "-qi", "SigBlk:.*fffffffe7ffbfeff", "/proc/self/status", NULL};
static void must_end_well(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    MUST(status == 0);
}
static void a_child_blocks_all_signals(void) {
    receive();
    let_come();
    const pid_t child = fork();
    if (child == 0) block_all(), execv("/bin/grep", grep), _exit(9);
    must_end_well(child);
    end();
}
static void a_child_is_forked_with_all_blocked(void) {
    block_all();
    receive();
    let_come();
    const pid_t child = fork();
    if (child == 0) execv("/bin/grep", grep), _exit(9);
    must_end_well(child);
    MUST(blocked() == 7);
    end();
}
static void a_child_is_spawned_with_all_blocked(void) {
    pid_t child;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    receive();
    let_come();
    block_all();
    for (int k = 0; k < 2; k++) {
        MUST(posix_spawn(&child, "/bin/grep", NULL, k ? &attributes : NULL, grep, environ) == 0);
        must_end_well(child);
    }
    posix_spawnattr_destroy(&attributes);
    end();
}
static void *looks(void *none) {
    seen_inside = blocked();
    return none;
}
static void a_thread_begins_with_its_makers_mask(void) {
    pthread_t thread;
    block_all();
    receive();
    let_come();
    pthread_create(&thread, NULL, looks, NULL), pthread_join(thread, NULL);
    MUST(seen_inside == 7);
    end();
}

/* --- what the kernel refuses ------------------------------------------------------------------------------------------------------ */

#define REFUSED(call, error) (errno = 0, MUST((call) == -1 && errno == (error)))
static char *volatile nowhere = (char *)8;
static void addresses_that_lead_nowhere(void) {
    int ends[2], sockets[2];
    MUST(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    receive();
    REFUSED(write(ends[1], (void *)nowhere, 100), EFAULT);
    REFUSED(writev(ends[1], (void *)nowhere, 3), EFAULT);
    REFUSED(readv(ends[0], (void *)nowhere, 3), EFAULT);
    REFUSED(syscall(SYS_writev, ends[1], block, -1), EINVAL);
    REFUSED(writev(ends[1], (void *)nowhere, -1), EINVAL);
    REFUSED(sendmsg(sockets[0], (void *)nowhere, 0), EFAULT);
    REFUSED(recvmsg(sockets[1], (void *)nowhere, 0), EFAULT);
    REFUSED(open(nowhere, O_RDONLY), EFAULT);
    REFUSED(openat(AT_FDCWD, nowhere, O_RDONLY), EFAULT);
    end();
}

static void its_own_memory_is_a_file(void) {
    char got[2 * PAGE];
    const struct iovec piece = {got, sizeof got};
    const int memory = open("/proc/self/mem", O_RDWR);
    const off_t place = (off_t)(size_t)(block + LATE);
    receive();
    let_come();
    MUST(preadv(memory, &piece, 1, place) == sizeof got && got[PAGE] == 'm');
    MUST(lseek(memory, place + 4 * PAGE, SEEK_SET) == place + 4 * PAGE);
    MUST(read(memory, got, sizeof got) == sizeof got && got[PAGE] == 'm');
    MUST(write(memory, "n", 1) == 1 && block[LATE + 6 * PAGE] == 'n');
    block[LATE + 6 * PAGE] = 'm';
    end();
}

/* --- a thread that may be cancelled anywhere --------------------------------------------------------------------------------------- */

static volatile int reads, cleaned;
static void clean(void *nothing) {
    (void)nothing;
    MUST(block[LATE + PAGE] == 'm');
    cleaned++;
}
static void *read_for_ever(void *nothing) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(clean, nothing);
    reads = 1;
    for (;;)
        for (size_t k = LATE; k < BYTES; k += PAGE) (void)((volatile char *)block)[k];
    pthread_cleanup_pop(0);
    return NULL;
}
static void threads_are_cancelled_where_they_read(void) {
    enum { THREADS = 12 };
    pthread_t thread[THREADS];
    void *how = NULL;
    receive();
    for (int k = 0; k < THREADS; k++) {
        reads = 0;
        pthread_create(&thread[k], NULL, read_for_ever, NULL);
        while (!reads) usleep(10);
        usleep(100 * k);
        pthread_cancel(thread[k]);
    }
    let_come();
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], &how);
        MUST(how == PTHREAD_CANCELED);
    }
    MUST(cleaned == THREADS);
    end();
}

/* --- what a handler does while the program waits ------------------------------------------------------------------------------------ */

static volatile int written, not_written;
static void write_a_part(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    char got[64] = "";
    const int errno_then = errno;
    if (written + not_written >= 3) return;
    const int good = pwrite(file, block + LATE + 8 * PAGE, sizeof got, 0) == sizeof got &&
                     pread(file, got, sizeof got, 0) == sizeof got && got[1] == 'm';
    *(good ? &written : &not_written) += 1;
    errno = errno_then;
}
static void a_handler_writes_while_the_program_waits(void) {
    const struct itimerval soon = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    char *const elsewhere = malloc(BYTES);
    file = memfd_create("parts", 0);
    const int whole = memfd_create("whole", 0);
    handle(SIGALRM, write_a_part, SA_RESTART, 0);
    receive();
    setitimer(ITIMER_REAL, &soon, NULL);
    MUST(pwrite(whole, block + LATE, BYTES - LATE, 0) == BYTES - LATE);
    memcpy(elsewhere, block, BYTES);
    while (written + not_written < 3) usleep(100);
    setitimer(ITIMER_REAL, &never, NULL);
    MUST(written == 3 && not_written == 0 && elsewhere[BYTES - 1] == 'm');
    free(elsewhere);
    end();
}

static const struct one_case cases[] = {
    CASE(threads_are_cancelled_where_they_read),
    CASE(a_handler_writes_while_the_program_waits),
    CASE(a_handler_reads_the_message),
    CASE(a_handler_lengthens_a_file),
    CASE(jumps_out_of_faults),
    CASE(masks_in_handlers),
    CASE(a_handler_interrupts_malloc),
    CASE(a_handler_of_iso_c_interrupts_free),
    CASE(a_sandbox_of_its_own),
    CASE(calls_stopped_by_dispatch),
    CASE(a_child_blocks_all_signals),
    CASE(a_child_is_forked_with_all_blocked),
    CASE(a_child_is_spawned_with_all_blocked),
    CASE(a_thread_begins_with_its_makers_mask),
    CASE(addresses_that_lead_nowhere),
    CASE(its_own_memory_is_a_file),
};

int main(int argc, char **argv) {
    return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
