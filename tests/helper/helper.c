/* The helper, a thread of ours that looks after long messages while the program computes (docs/release.md). Each scene is one job. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 8 << 20, SHORT = 64 << 10 };

static int rank, other;
static unsigned char *in, *out;

static void check(int good, const char *what) {
    if (good) return;
    printf("rank %d: not so: %s\n", rank, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(what) check(what, #what)

/* Threads of this process that have its name, and all. */
static int helpers(int *all) {
    int found = 0;
    *all = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue;
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        ++*all;
        if (fgets(name, sizeof name, file) && strcmp(name, "stretto\n") == 0) found++;
        fclose(file);
    }
    closedir(tasks);
    return found;
}

static void begin(int step, MPI_Request request[2]) {
    for (int k = 0; k < BYTES; k++) out[k] = (unsigned char)(k * 31 + k / 4096 + rank + step);
    MPI_Irecv(in, BYTES, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, BYTES, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request[1]);
}

static int came(int step) {
    for (int k = 0; k < BYTES; k++)
        if (in[k] != (unsigned char)(k * 31 + k / 4096 + other + step)) return 0;
    return 1;
}

/* Both ways, while nobody calls MPI. */
static void moves(void) {
    MPI_Request request[2];
    for (int step = 0; step < 4; step++) {
        begin(step, request);
        usleep(200000);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        CHECK(came(step));
    }
    int all;
    printf("helpers %d\n", helpers(&all));
}

/* A child has no helper, and ends; the parent's works on. */
static void forks(void) {
    MPI_Request request[2];
    for (int step = 0; step < 4; step++) {
        begin(step, request);
        usleep(1000 * (unsigned)step);
        const pid_t child = fork();
        if (child == 0) exit(helpers(&(int){0}));
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(system("true") == 0);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        CHECK(came(step));
    }
}

/* In the middle of a message: the process ends at once. */
static void exits(void) {
    MPI_Request request[2];
    begin(0, request);
    usleep(20000);
    exit(0);
}

/* A barrier that the rest of a message waits for, while its receiver runs on: in a program with one thread it waits for no page. */
static void crosses_a_barrier(void) {
    MPI_Request request;
    int all;
    moves();
    if (helpers(&all) < all - 1) {
        printf("the library has threads of its own\n");
        return;
    }
    if (rank == 0) {
        MPIX_Delta_send_begin(out, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        memset(out, 7, BYTES);
        MPIX_Delta_send_end(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPIX_Delta_recv(in, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(in[0] == 7 && in[BYTES / 2] == 7);
        MPIX_Delta_recv_end(in, MPI_STATUS_IGNORE);
    }
}

/* What was held back until a receive is matched leaves when it is, although this rank computes: seen by a file, since it calls no MPI. */
static void holds(const char *file) {
    if (rank == 0) {
        MPI_Recv(in, SHORT, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, SHORT, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        for (int k = 0; access(file, F_OK) != 0; k++) {
            CHECK(k < 1000);
            usleep(10000);
        }
    } else {
        MPI_Status status;
        usleep(300000);
        MPI_Send(out, SHORT, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(in, SHORT, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        fclose(fopen(file, "w"));
    }
    int all;
    printf("helpers %d\n", helpers(&all));
}

/* Rank 0 runs past a receive and sends a long message. Its deltas leave one by one; what has not left when the receive is matched, too. */
static void paces(void) {
    MPI_Status status;
    if (rank == 0) {
        MPI_Recv(in, SHORT, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in + SHORT, SHORT, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &status);
    } else {
        usleep(50000);
        MPI_Send(out, SHORT, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(in, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        for (int k = 0; k < BYTES; k++) CHECK(in[k] == 0); /* all of it is here */
        MPI_Send(out, SHORT, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
}

/* A ring of one lane, which goes on hop by hop while nobody calls MPI. */
static void adds_up(void) {
    enum { INTS = (16 << 10) / sizeof(int) };
    int *values = (int *)out, *sums = (int *)in, all;
    for (int step = 0; step < 4; step++) {
        MPI_Request request;
        for (int k = 0; k < INTS; k++) values[k] = k + rank + step;
        MPI_Iallreduce(values, sums, INTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        usleep(100000);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < INTS; k++) CHECK(sums[k] == 2 * (k + step) + 1);
    }
    printf("helpers %d\n", helpers(&all));
}

/* What the program asked for is what it is told. */
static void tells_the_level(int asked) {
    int level = -1;
    MPI_Query_thread(&level);
    CHECK(level == asked);
}

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : "";
    const int level = argc > 2 && *scene != 'h' ? atoi(argv[2]) : -1;
    if (level < 0)
        MPI_Init(&argc, &argv);
    else {
        int provided = -1;
        MPI_Init_thread(&argc, &argv, level, &provided);
        CHECK(provided == level);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    in = aligned_alloc(4096, BYTES);
    out = aligned_alloc(4096, BYTES);
    memset(out, 0, BYTES);
    tells_the_level(level < 0 ? MPI_THREAD_SINGLE : level);
    if (strcmp(scene, "moves") == 0) moves();
    if (strcmp(scene, "forks") == 0) forks();
    if (strcmp(scene, "exits") == 0) exits();
    if (strcmp(scene, "holds") == 0) holds(argv[2]);
    if (strcmp(scene, "paces") == 0) paces();
    if (strcmp(scene, "crosses") == 0) crosses_a_barrier();
    if (strcmp(scene, "adds") == 0) adds_up();
    MPI_Finalize();
    int all;
    printf("afterwards %d\n", helpers(&all));
    return 0;
}
