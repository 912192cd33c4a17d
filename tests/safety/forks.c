/* forks NAME: rank 0 makes a child while it fills a message whose pages say what is final. The message comes as it was filled, and the child sees what
 * was written: it prints OK. */
#include <mpi.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, HALF = BYTES / 2, TURNS = 5 };
static unsigned char *message;
static int turn, bad;
extern char **environ;

static void must(int good, const char *what) {
    if (!good) bad++, printf("not so, in turn %d: %s\n", turn, what);
}
#define MUST(what) must(!!(what), #what)

static int is_filled(size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        if (message[k] != (unsigned char)(k / 4096 + (size_t)turn)) return 0;
    return 1;
}
static void fill(size_t from, size_t to) {
    for (size_t k = from; k < to; k++) message[k] = (unsigned char)(k / 4096 + (size_t)turn);
}
static void ends_well(pid_t child) {
    int status = -1;
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

static void none(void) {}
static void a_child(void) {
    const pid_t child = fork();
    if (child == 0) _exit(!is_filled(HALF));
    ends_well(child);
}
static void a_child_that_writes(void) {
    const pid_t child = fork();
    if (child == 0) {
        memset(message, 0xee, BYTES);
        _exit(0);
    }
    ends_well(child);
}
static void a_child_that_executes(void) {
    const pid_t child = fork();
    if (child == 0) execl("/bin/true", "true", NULL), _exit(9);
    ends_well(child);
}
static void a_grandchild(void) {
    const pid_t child = fork();
    if (child == 0) {
        int status = -1;
        const pid_t its = fork();
        if (its == 0) _exit(!is_filled(HALF));
        waitpid(its, &status, 0);
        _exit(status != 0);
    }
    ends_well(child);
}
static void a_command(void) {
    MUST(system("true") == 0);
}
static void a_pipe(void) {
    char word[8] = "";
    FILE *const from = popen("echo word", "r");
    MUST(from && fgets(word, sizeof word, from) && strcmp(word, "word\n") == 0);
    MUST(pclose(from) == 0);
}
static void a_spawned_one(void) {
    char *const words[] = {"true", NULL};
    pid_t child;
    MUST(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
    ends_well(child);
}
static void *forks(void *nothing) {
    a_child();
    return nothing;
}
static void a_child_of_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forks, NULL);
    pthread_join(thread, NULL);
}

static int handlers_write;
static size_t filled;
static void before_a_fork(void) {
    if (handlers_write) fill(HALF, filled = HALF + 100000);
}
static void a_child_whose_handlers_write(void) {
    handlers_write = 1;
    a_child();
    handlers_write = 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(void);
    } all[] = {
#define CASE(name) {#name, name}
        CASE(none),
        CASE(a_child),
        CASE(a_child_that_writes),
        CASE(a_child_that_executes),
        CASE(a_grandchild),
        CASE(a_command),
        CASE(a_pipe),
        CASE(a_spawned_one),
        CASE(a_child_of_a_thread),
        CASE(a_child_whose_handlers_write),
    };
    int rank;
    pthread_atfork(before_a_fork, NULL, NULL); /* runs behind libstretto's, which comes later */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    message = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (turn = 0; turn < TURNS; turn++) {
        MPI_Request request;
        if (rank == 0) {
            MPIX_Delta_send_begin(message, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            fill(0, filled = HALF);
            for (size_t k = 0; k < sizeof all / sizeof *all; k++)
                if (strcmp(argv[1], all[k].name) == 0) all[k].make();
            fill(filled, BYTES);
            MPIX_Delta_send_end(&request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
            memset(message, 0, BYTES);
        } else {
            MPI_Recv(message, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MUST(is_filled(BYTES));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(bad ? "wrong" : "OK");
    MPI_Finalize();
    return 0;
}
