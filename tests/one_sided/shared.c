/* shared WHAT: messages of rank 0 to rank 1, on one node, in the ways in which what they share may fill up, be late, or not be there.
 * Ends with 0 where all of their bytes are right. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 3 << 20, SMALL = 40000, SHORT = 5000, PIECE = 1000, MANY = 150 };

static int rank;
static unsigned char *buffers[MANY];

static unsigned char byte_of(int message, size_t k) {
    return (unsigned char)(k * 31 + k / 4096 + (size_t)message * 7);
}

static unsigned char *buffer(int message) {
    if (!buffers[message]) buffers[message] = calloc(LARGE, 1);
    return buffers[message];
}

static void begin(int message, int bytes, MPI_Request *request) {
    MPIX_Delta_send_begin(buffer(message), bytes, MPI_BYTE, 1, message, MPI_COMM_WORLD, request);
}

/* From 0 to `bytes`, in pieces. */
static void produce(int message, int bytes) {
    unsigned char *const to = buffer(message);
    for (int k = 0; k < bytes; k += PIECE) {
        const int n = k + PIECE < bytes ? PIECE : bytes - k;
        for (int i = k; i < k + n; i++) to[i] = byte_of(message, (size_t)i);
        MPIX_Delta_send_data(to + k, (size_t)n);
    }
}

static void end(MPI_Request *request) {
    MPIX_Delta_send_end(request);
    MPIX_Delta_wait(request, MPI_STATUS_IGNORE);
}

static void send(int message, int bytes) {
    MPI_Request request;
    begin(message, bytes, &request);
    produce(message, bytes);
    end(&request);
}

static void check(int message, const unsigned char *data, int bytes) {
    for (int k = 0; k < bytes; k++)
        if (data[k] != byte_of(message, (size_t)k)) {
            printf("message %d: byte %d is %d, not %d\n", message, k, data[k], byte_of(message, (size_t)k));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

/* Used piece by piece, from the end where `backwards`. */
static void receive(int message, int bytes, int backwards) {
    unsigned char *const to = buffer(message);
    memset(to, 0, (size_t)bytes);
    MPIX_Delta_recv(to, bytes, MPI_BYTE, 0, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < bytes; k += PIECE) {
        const int at = backwards ? (bytes - 1) / PIECE * PIECE - k : k, n = at + PIECE < bytes ? PIECE : bytes - at;
        MPIX_Delta_wait_data(to + at, (size_t)n);
        for (int i = at; i < at + n; i++)
            if (to[i] != byte_of(message, (size_t)i)) check(message, to, bytes);
    }
    MPIX_Delta_recv_end(to, MPI_STATUS_IGNORE);
}

static void in_turn(void) {
    static const int sizes[] = {SMALL, 5000, 4129, LARGE, 100, 300001};
    for (int k = 0; k < 30; k++) {
        const int bytes = sizes[k % 6];
        if (rank == 0) send(k, bytes);
        if (rank == 1) receive(k, bytes, k % 2);
    }
}

/* Its receiver is in MPI_Barrier, where it looks at nothing, until all has left: more than there is room for. */
static void full(void) {
    for (int k = 0; k < 4; k++) {
        MPI_Request request;
        if (rank == 0) send(k, LARGE);
        if (rank == 1) MPI_Irecv(buffer(k), LARGE, MPI_BYTE, 0, k, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) check(k, buffer(k), LARGE);
    }
}

/* Its sender goes into MPI_Barrier with a message under way; the receiver, which is late, has it before it does so. */
static void handed_over(void) {
    for (int k = 0; k < 4; k++) {
        const int bytes = k % 2 ? LARGE : SMALL; /* of the short one the rest has hardly been tried */
        MPI_Request request;
        if (rank == 0) {
            begin(k, bytes, &request);
            produce(k, bytes);
            MPIX_Delta_send_end(&request);
        }
        if (rank == 1) {
            usleep(50000);
            MPI_Recv(buffer(k), bytes, MPI_BYTE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(k, buffer(k), bytes);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* The last one is received first, while pieces of all are there. */
static void reversed(void) {
    for (int turn = 0; turn < 10; turn++) {
        MPI_Request requests[5];
        if (rank == 0) {
            for (int k = 0; k < 5; k++) begin(k, SMALL, &requests[k]);
            for (int k = 0; k < 5; k++) produce(k, SMALL);
            for (int k = 0; k < 5; k++) MPIX_Delta_send_end(&requests[k]);
            MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        }
        if (rank == 1)
            for (int k = 4; k >= 0; k--) receive(k, SMALL, 0);
    }
}

/* More of them at once than the memory has lines for. */
static void many(void) {
    static MPI_Request requests[MANY];
    if (rank == 0) {
        for (int k = 0; k < MANY; k++) begin(k, SHORT, &requests[k]);
        for (int k = 0; k < MANY; k++) produce(k, SHORT);
        for (int k = 0; k < MANY; k++) MPIX_Delta_send_end(&requests[k]);
        MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1)
        for (int k = 0; k < MANY; k++) receive(k, SHORT, 0);
}

/* They end before they could, and say so when there is no room. */
static void shorter(void) {
    static const int sizes[] = {0, 96, 5000, 12345, SMALL, LARGE / 2};
    for (int k = 0; k < 24; k++) {
        const int bytes = sizes[k % 6];
        if (rank == 0) {
            MPI_Request request;
            begin(k, LARGE, &request);
            produce(k, bytes);
            MPIX_Delta_send_end_count(bytes, &request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            int n = -1;
            memset(buffer(k), 0, LARGE);
            if (k % 2) usleep(1000);
            MPI_Recv(buffer(k), LARGE, MPI_BYTE, 0, k, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &n);
            if (n != bytes) {
                printf("message %d: %d bytes, not %d\n", k, n, bytes);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            check(k, buffer(k), bytes);
        }
    }
}

/* A child of fork() ends in the middle of a message. */
static void forked(void) {
    MPI_Request request;
    if (rank == 0) {
        begin(0, LARGE, &request);
        produce(0, LARGE / 2);
    }
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    if (rank == 0) {
        for (int k = LARGE / 2; k < LARGE; k++) buffer(0)[k] = byte_of(0, (size_t)k);
        end(&request);
    }
    if (rank == 1) receive(0, LARGE, 0);
    in_turn();
}

/* The program closes all that it has not opened, as daemons do: nobody can open rank 1's inbox then. */
static void closed(void) {
    if (rank == 1) {
        DIR *const files = opendir("/proc/self/fd");
        for (const struct dirent *one; (one = readdir(files));) {
            char target[256] = "", path[300];
            snprintf(path, sizeof path, "/proc/self/fd/%s", one->d_name);
            if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "stretto-inbox"))
                close(atoi(one->d_name));
        }
        closedir(files);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    in_turn();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"in_turn", in_turn}, {"full", full},       {"handed_over", handed_over}, {"reversed", reversed},
               {"many", many},       {"shorter", shorter}, {"forked", forked},           {"closed", closed}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (argc > 1 && strcmp(argv[1], all[k].name) == 0) all[k].run();
    MPI_Finalize();
    return 0;
}
