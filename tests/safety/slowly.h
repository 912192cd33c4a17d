/* A program of several cases: rank 1 receives a large message and, while it still comes, does what the case is about. Rank 0 lets the rest leave when
 * rank 1 says so, by a file, or has not for two seconds: it may have ended.
 *
 *     PROGRAM NAME */
#ifndef STRETTO_TESTS_SLOWLY_H
#define STRETTO_TESTS_SLOWLY_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 21, LATE = BYTES / 2, PAGE = 4096 };

static char *block; /* where the message comes, an 'm' in each byte */
static char flag[64];
static int all_is_here;

static char *mapped(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static inline void block_all(void) {
    sigset_t all;
    sigfillset(&all), pthread_sigmask(SIG_SETMASK, &all, NULL);
}
static void receive(void) {
    MPI_Recv(block, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void let_come(void) {
    close(open(flag, O_CREAT | O_WRONLY, 0600));
}
static inline char touched(void) {
    let_come();
    return block[LATE];
}
/* All that was sent before has come, wherever it went. */
static void all_has_come(void) {
    int word;
    let_come();
    if (!all_is_here) MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    all_is_here = 1;
}
static void send_slowly(void) {
    int word = 0;
    MPI_Request request;
    memset(block, 'm', BYTES);
    MPI_Isend(block, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    for (int k = 0; k < 2000 && access(flag, F_OK) != 0; k++) usleep(1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    unlink(flag);
    MPI_Send(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
}

struct one_case {
    const char *name;
    void (*body)(void);
};
#define CASE(name) \
    { #name, name }

static int run_case(int argc, char **argv, const struct one_case *cases, size_t count) {
    int rank, provided, key = getpid();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    block = mapped(BYTES);
    MPI_Bcast(&key, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(flag, sizeof flag, "/tmp/stretto-slowly-%d", key);
    for (size_t k = 0; k < count; k++) {
        if (argc < 2 || strcmp(cases[k].name, argv[1]) != 0) continue;
        if (rank == 0) send_slowly();
        if (rank == 1) cases[k].body(), all_has_come();
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) unlink(flag);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}

#endif
