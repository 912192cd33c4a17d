/* Functions of the program's that MPI calls: they send and receive as ordinary code does, and leave by a jump; afterwards all is as before the
 * call (docs/safety.md). exceptions.cpp has those that C++ throws. */
#define _GNU_SOURCE
#include "promise.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { BYTES = 1 << 18, NOBODY = 1000 };

static MPI_Comm comm; /* with an error handler of ours */
static jmp_buf out_of_it;
static sigjmp_buf out_of_a_load;
static unsigned char *inner;

static void with_handler(MPI_Comm_errhandler_function *function) {
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

static void raise_error(void) {
    MPI_Send(out, 1, MPI_BYTE, NOBODY, 0, comm);
}

/* Large messages both ways between ranks 0 and 1 in ordinary code. */
static void exchange_well(unsigned what) {
    unsigned char *block = aligned_alloc(4096, BYTES);
    if (rank == 0) {
        fill(block, BYTES, what);
        MPI_Send(block, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(block, BYTES, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(block, BYTES, what + 1));
    } else if (rank == 1) {
        MPI_Recv(block, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(block, BYTES, what));
        fill(block, BYTES, what + 1);
        MPI_Send(block, BYTES, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(block);
}

static void jump(MPI_Comm *where, int *code, ...) {
    (void)where, (void)code;
    longjmp(out_of_it, 1);
}

PROMISE(released_an_error_handler_leaves_by_a_jump) {
    with_handler(jump);
    for (int k = 0; k < 3; k++) {
        if (rank == 1 && setjmp(out_of_it) == 0) raise_error(), CHECK(!"it returned");
        exchange_well(k);
    }
    MPI_Comm_free(&comm);
}

/* Where frames are deeper after the jump than before it, what was left behind does not lie below. */
static void deep_exchange(unsigned what) {
    volatile char room[20000];
    room[0] = room[sizeof room - 1] = (char)what;
    exchange_well(what + (room[0] != (char)what));
}

PROMISE(released_deeper_calls_follow_a_jump) {
    with_handler(jump);
    if (rank == 1 && setjmp(out_of_it) == 0) raise_error(), CHECK(!"it returned");
    deep_exchange(7);
    MPI_Comm_free(&comm);
}

/* A signal that comes while a load waits for what has not come leaves the load. The timer is this thread's: its handler may not jump elsewhere. */
static timer_t own_timer(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    return timer;
}
static void on_signal(int number) {
    (void)number;
    siglongjmp(out_of_a_load, 1);
}

PROMISE(released_a_signals_handler_leaves_a_load_by_a_jump) {
    unsigned char *volatile block = aligned_alloc(4096, BYTES);
    stack_t mine = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, before, now;
    const struct itimerspec soon = {{0, 0}, {0, 3000000}};
    timer_t timer = own_timer();
    struct sigaction action = {.sa_handler = on_signal}, other;
    sigaltstack(&mine, &before);
    sigaction(SIGALRM, &action, &other);
    for (int k = 0; k < 2; k++) {
        fill(block, BYTES, rank == 0 ? k : 99);
        if (rank == 0) {
            MPI_Request request;
            MPI_Isend(block, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            usleep(50000);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Recv(block, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            volatile unsigned sum = 0;
            if (sigsetjmp(out_of_a_load, 1) == 0) {
                timer_settime(timer, 0, &soon, NULL);
                for (;;) sum += block[BYTES - 20000];
            }
            CHECK(holds(block, BYTES, k));
        }
    }
    exchange_well(5);
    sigaltstack(NULL, &now);
    CHECK(now.ss_sp == mine.ss_sp && !(now.ss_flags & SS_DISABLE));
    before.ss_flags = before.ss_sp ? 0 : SS_DISABLE;
    sigaltstack(&before, NULL);
    sigaction(SIGALRM, &other, NULL);
    timer_delete(timer);
    free(mine.ss_sp);
    free(block);
}

/* Rank 1's handler sends and receives large messages; rank 0 does so in ordinary code. */
static void talk(MPI_Comm *where, int *code, ...) {
    (void)where, (void)code;
    MPI_Recv(inner, BYTES, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(holds(inner, BYTES, 31));
    fill(inner, BYTES, 32);
    MPI_Send(inner, BYTES, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
}

static void talk_from_ordinary_code(void) {
    fill(inner, BYTES, 31);
    MPI_Send(inner, BYTES, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    MPI_Recv(inner, BYTES, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(holds(inner, BYTES, 32));
}

PROMISE(released_an_error_handler_sends_large_messages) {
    inner = aligned_alloc(4096, BYTES);
    with_handler(talk);
    if (rank == 1) raise_error();
    if (rank == 0) talk_from_ordinary_code();
    exchange_well(9);
    MPI_Comm_free(&comm);
    free(inner);
}

static int query_by_talking(void *state, MPI_Status *status) {
    (void)state;
    talk(NULL, NULL);
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int no_end(void *state) {
    return (void)state, MPI_SUCCESS;
}
static int no_cancel(void *state, int complete) {
    return (void)state, (void)complete, MPI_SUCCESS;
}

PROMISE(released_a_requests_function_sends_large_messages) {
    inner = aligned_alloc(4096, BYTES);
    if (rank == 1) {
        MPI_Request request;
        MPI_Grequest_start(query_by_talking, no_end, no_cancel, NULL, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0) talk_from_ordinary_code();
    exchange_well(11);
    free(inner);
}

/* Two fibers take turns in one thread: one inside an error handler, the other in calls of its own. */
static ucontext_t main_fiber, fiber;
static void pause_fiber(MPI_Comm *where, int *code, ...) {
    (void)where, (void)code;
    swapcontext(&fiber, &main_fiber);
}
static void in_fiber(void) {
    raise_error();
    exchange_well(13);
}

PROMISE(released_a_fiber_rests_in_an_error_handler) {
    const size_t room = 1 << 20;
    char *stack = malloc(room);
    with_handler(pause_fiber);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack, fiber.uc_stack.ss_size = room, fiber.uc_link = &main_fiber;
    makecontext(&fiber, in_fiber, 0);
    swapcontext(&main_fiber, &fiber); /* until it rests */
    exchange_well(15);
    swapcontext(&main_fiber, &fiber); /* until it ends */
    exchange_well(17);
    MPI_Comm_free(&comm);
    free(stack);
}

static void exit_thread(MPI_Comm *where, int *code, ...) {
    (void)where, (void)code;
    pthread_exit(NULL);
}
static void *make_error(void *none) {
    raise_error();
    return none;
}

static volatile int over;
static void note(int signal) {
    (void)signal;
}
static void *send_signals(void *to) {
    while (!over) pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}

/* libc blocks all signals in pthread_kill: a call that is stopped meanwhile would end the process. */
PROMISE(released_a_thread_may_send_signals_to_another) {
    pthread_t thread, self = pthread_self();
    signal(SIGUSR1, note);
    over = 0;
    if (rank == 1) pthread_create(&thread, NULL, send_signals, &self);
    for (int round = 0; round < 10; round++) exchange_well(20 + round);
    over = 1;
    if (rank == 1) pthread_join(thread, NULL);
    signal(SIGUSR1, SIG_DFL);
}

/* Not at MPI_THREAD_MULTIPLE: there MPICH itself keeps its lock. */
PROMISE(released_a_worker_ends_in_an_error_handler) {
    pthread_t thread;
    with_handler(exit_thread);
    if (rank == 1 && thread_level >= MPI_THREAD_SERIALIZED) {
        pthread_create(&thread, NULL, make_error, NULL);
        pthread_join(thread, NULL);
    }
    exchange_well(19);
    MPI_Comm_free(&comm);
}
