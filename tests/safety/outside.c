/* outside NAME: rank 1 receives a message and, while it still comes, does what docs/safety.md lists under "What remains outside". It prints
 * what happens; where that is the end of the process, nothing. */
#include "slowly.h"
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { NOBODY = 1000 };

static const char *name_of(long result) {
    return result >= 0 ? "done" : errno == EFAULT ? "EFAULT" : errno == EIO ? "EIO" : strerror(errno);
}
static volatile int begun, tried;
static volatile long answer;

static void until(const volatile int *flag) {
    while (!*flag) usleep(1000);
}
static void with_handler(MPI_Comm *comm, MPI_Comm_errhandler_function *function) {
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_SELF, comm);
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(*comm, handler);
    MPI_Errhandler_free(&handler);
}

/* --- the library and control ------------------------------------------------------------------------------------------------------ */

static ucontext_t fiber, of_main;

static void begin_fiber(char *stack, size_t bytes, void (*function)(void)) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack, fiber.uc_stack.ss_size = bytes, fiber.uc_link = &of_main;
    makecontext(&fiber, function, 0);
    swapcontext(&of_main, &fiber);
}
static void deep(void) {
    volatile char room[BYTES / 2];
    room[0] = 0; /* where nothing has come yet */
    answer = room[0];
}
static void a_stack_in_what_comes(void) {
    receive();
    begin_fiber(block, BYTES, deep);
    puts("returned");
}

/* --- the kernel ------------------------------------------------------------------------------------------------------------------- */

static void write_it(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    int ends[2];
    if (pipe(ends)) return;
    answer = syscall(SYS_write, ends[1], block + LATE, PAGE);
    printf("write: %s\n", name_of(answer));
}
static void a_function_that_mpi_calls_asks_the_kernel(void) {
    MPI_Comm comm;
    with_handler(&comm, write_it);
    receive();
    MPI_Send(NULL, 0, MPI_BYTE, NOBODY, 0, comm);
}

static void *block_all_signals(void *none) {
    const uint64_t all = ~0ull;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8);
    begun = 1;
    for (int k = 0; k < 500; k++) usleep(1000);
    return none;
}
static void a_thread_blocks_sigsys(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, block_all_signals, NULL);
    until(&begun);
    receive();
    pthread_join(thread, NULL);
    printf("touched: %c\n", touched());
}

static sigjmp_buf saved;
static void a_mask_that_was_saved_before(void) {
    sigset_t mine, now;
    sigemptyset(&mine), sigaddset(&mine, SIGSEGV), sigaddset(&mine, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mine, NULL);
    if (sigsetjmp(saved, 1) == 0) {
        receive();
        siglongjmp(saved, 1);
    }
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
    printf("SIGSEGV %s, SIGUSR1 %s, touched: %c\n", sigismember(&now, SIGSEGV) ? "blocked" : "open",
           sigismember(&now, SIGUSR1) ? "blocked" : "open", touched());
}

static volatile int inside;
static void look(int signal) {
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    inside = sigismember(&now, signal) + 2 * sigismember(&now, SIGSEGV);
}
static void a_handlers_own_mask(void) {
    struct sigaction action = {.sa_handler = look}, told;
    sigaddset(&action.sa_mask, SIGSEGV);
    sigaction(SIGUSR1, &action, NULL);
    receive();
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &told);
    printf("inside %d, told %d, touched: %c\n", inside, sigismember(&told.sa_mask, SIGSEGV), touched());
}

static void note(int signal) {
    answer = signal;
}
static void a_signal_that_is_blocked_is_sent(void) {
    sigset_t mine;
    signal(SIGSEGV, note);
    sigemptyset(&mine), sigaddset(&mine, SIGSEGV);
    receive();
    sigprocmask(SIG_BLOCK, &mine, NULL);
    pthread_kill(pthread_self(), SIGSEGV);
    printf("the handler %s, touched: %c\n", answer == SIGSEGV ? "ran at once" : "waits", touched());
}

static void *vfork_and_execute(void *none) {
    long child, result;
    int status;
    __asm__ volatile("syscall" : "=a"(child) : "0"((long)SYS_vfork) : "rcx", "r11", "memory");
    if (child == 0) {
        begun = 1;
        while (!tried) __asm__ volatile("pause");
        const char *words[] = {block + LATE, NULL};
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "0"((long)SYS_execve), "D"(block + LATE), "S"(words), "d"(NULL)
                         : "rcx", "r11", "memory");
        answer = result;
        __asm__ volatile("syscall" : : "a"((long)SYS_exit), "D"(0L) : "rcx", "r11", "memory");
    }
    waitpid((pid_t)child, &status, __WALL);
    return none;
}
static void a_raw_vfork(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, vfork_and_execute, NULL);
    until(&begun);
    receive();
    tried = 1;
    pthread_join(thread, NULL);
    printf("execve: %s, touched: %c\n", answer == -EFAULT ? "EFAULT" : "done", touched());
}

static void own_memory_by_a_file(void) {
    char got[3 * PAGE];
    const struct iovec mine = {got, sizeof got};
    const int memory = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY);
    receive();
    answer = preadv(memory, &mine, 1, (off_t)(uintptr_t)(block + LATE));
    printf("preadv: %s\n", answer == sizeof got ? "all" : answer > 0 ? "fewer bytes" : name_of(answer));
}

static void another_process_reads(void) {
    int go[2], said[2];
    char word = 0;
    if (pipe(go) || pipe(said)) return;
    const pid_t parent = getpid(), child = fork(); /* shares nothing with us that it uses */
    if (child == 0) {
        char got[PAGE];
        const struct iovec mine = {got, PAGE}, its = {block + LATE, PAGE};
        if (read(go[0], &word, 1) != 1) _exit(1);
        word = process_vm_readv(parent, &mine, 1, &its, 1, 0) == PAGE ? 'r'
               : errno == EFAULT                                      ? 'E'
               : errno == EPERM                                       ? 'P'
                                                                      : '?';
        _exit(write(said[1], &word, 1) != 1);
    }
    receive();
    if (write(go[1], "g", 1) != 1 || read(said[0], &word, 1) != 1) return;
    waitpid(child, NULL, 0);
    printf("process_vm_readv: %s\n", word == 'E' ? "EFAULT" : word == 'P' ? "not allowed" : word == 'r' ? "done" : "?");
}

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static void *sleeps(void *none) {
    pthread_mutex_lock(&door), pthread_mutex_unlock(&door);
    return none;
}
static void more_than_1024_threads(void) {
    enum { THREADS = 1100 };
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small), pthread_attr_setstacksize(&small, 1 << 16);
    int made = 0;
    pthread_mutex_lock(&door);
    while (made < THREADS && pthread_create(&threads[made], &small, sleeps, NULL) == 0) made++;
    receive();
    printf("%d threads, touched: %c\n", made, touched());
    pthread_mutex_unlock(&door);
    while (made-- > 0) pthread_join(threads[made], NULL);
}

static int touch(void *none) {
    (void)none;
    begun = 1;
    while (!tried) __asm__ volatile("pause");
    answer = block[LATE];
    return 0;
}
static void a_child_that_shares_memory(void) {
    int status = 0;
    char *stack = mapped(1 << 16);
    const int child = clone(touch, stack + (1 << 16), CLONE_VM | SIGCHLD, NULL);
    until(&begun);
    receive();
    tried = 1;
    waitpid(child, &status, __WALL);
    printf("the child %s\n", WIFSIGNALED(status) ? "was ended by a signal" : "touched it");
}

static void the_map_of_memory(void) {
    unsigned long first, end;
    char line[500], access[8];
    receive();
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &first, &end, access) == 3 && first <= (uintptr_t)block + LATE &&
            (uintptr_t)block + LATE < end)
            printf("%s\n", access[0] == 'r' ? "open" : "closed");
    if (maps) fclose(maps);
}

static void a_child_by_system(void) {
    block_all();
    receive();
    let_come();
    const int status = system("grep -qi SigBlk:.*fffffffe7ffbfeff /proc/self/status");
    printf("its mask is %s\n", status == 0 ? "its parent's" : "open");
}

/* --- memory ----------------------------------------------------------------------------------------------------------------------- */

static void lend_and_go_deep(void) {
    volatile char room[BYTES];
    block = (char *)room;
    swapcontext(&fiber, &of_main);
    deep();
}
static void a_buffer_on_another_fibers_stack(void) {
    begin_fiber(mapped(4 * BYTES), 4 * BYTES, lend_and_go_deep);
    receive();
    swapcontext(&of_main, &fiber);
    puts("returned");
}

static void unmapped_and_mapped_by_system_calls(void) {
    receive();
    syscall(SYS_munmap, block, BYTES);
    if (syscall(SYS_mmap, block, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) < 0)
        return;
    all_has_come();
    printf("the new memory has %s\n", block[LATE] ? "the message" : "zeros");
}

/* ---------------------------------------------------------------------------------------------------------------------------------- */

static const struct one_case cases[] = {
    CASE(a_stack_in_what_comes),
    CASE(a_function_that_mpi_calls_asks_the_kernel),
    CASE(a_thread_blocks_sigsys),
    CASE(a_mask_that_was_saved_before),
    CASE(a_handlers_own_mask),
    CASE(a_signal_that_is_blocked_is_sent),
    CASE(a_raw_vfork),
    CASE(own_memory_by_a_file),
    CASE(another_process_reads),
    CASE(more_than_1024_threads),
    CASE(a_child_that_shares_memory),
    CASE(the_map_of_memory),
    CASE(a_child_by_system),
    CASE(a_buffer_on_another_fibers_stack),
    CASE(unmapped_and_mapped_by_system_calls),
};

int main(int argc, char **argv) {
    return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
