// delta-collectives: computation and a collective as one pipeline, against one after the other (Danalis, Kim, Pollock, Swany, SC05, section 4).
//
//   mpirun -n P delta-collectives --dilate D --reps N --sizes B,B --ratio R --collectives reduce,bcast,alltoall
//
// A reduction adds up what all ranks compute; what is broadcast is used by all, the root too; what goes from each to each is computed before. The
// computation is R times as long as the messages of one rank take alone. One line of JSON for each collective and size, medians over N
// operations of the slowest rank's times, in seconds:
//
//   message          what one rank's messages take: of reduce and bcast one, of alltoall P - 1
//   compute          the computation alone
//   native, ours     it and then MPI_X, or Stretto's (begin, end and wait at once); of a broadcast before it
//   delta            part by part, in so many `parts` of a message or block
//
// A part is a sixty-fourth of 4 to 64 KiB. Reductions add up integers: they have one right sum.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <sys/prctl.h>

#include "harness/dilated.h"
#include "harness/median.h"

enum { PARTS = 64, LEAST_PART = 4 << 10, MOST_PART = 64 << 10, WARMUP = 3, MOST_REPS = 99, LARGEST = 16 << 20 };
enum { REDUCE, BCAST, ALLTOALL, COLLECTIVES };
static const char *const names[] = {"reduce", "bcast", "alltoall"};

static int rank, ranks, what, bytes, part;
static double dilate = 1, work_seconds;
static char *contribution, *result, *used;

#define WORLD MPI_COMM_WORLD

static size_t produced(void) {
    return what == ALLTOALL ? (size_t)bytes * (size_t)ranks : (size_t)bytes;
}

static int value(size_t at) {
    return rank * 1000 + (int)(at % 977);
}

// The work for these bytes of all that is computed from, or with, and what comes of it. Of a broadcast what has come is used.
static void work(size_t first, size_t end) {
    dilated_work(work_seconds * (double)(end - first) / (double)produced(), dilate);
    if (what == BCAST)
        for (size_t k = first / sizeof(int); k < end / sizeof(int); k++) ((int *)used)[k] = ((int *)result)[k] + 1;
    else
        for (size_t k = first / sizeof(int); k < end / sizeof(int); k++) ((int *)contribution)[k] = value(k);
}

static void work_all(void) {
    for (size_t first = 0; first < produced(); first += (size_t)part)
        work(first, first + (size_t)part < produced() ? first + (size_t)part : produced());
}

static void native(void) {
    if (what == REDUCE)
        MPI_Reduce(contribution, result, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, 0, WORLD);
    else if (what == BCAST)
        MPI_Bcast(result, bytes, MPI_BYTE, 0, WORLD);
    else
        MPI_Alltoall(contribution, bytes, MPI_BYTE, result, bytes, MPI_BYTE, WORLD);
}

static void begin(MPI_Request *request) {
    if (what == REDUCE)
        MPIX_Delta_reduce_begin(contribution, result, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, 0, WORLD, request);
    else if (what == BCAST)
        MPIX_Delta_bcast_begin(result, bytes, MPI_BYTE, 0, WORLD, request);
    else
        MPIX_Delta_alltoall_begin(contribution, bytes, MPI_BYTE, result, bytes, MPI_BYTE, WORLD, request);
}

static void ours(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_collective_end(&request);
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}

static void native_in_turn(void) {
    if (what == BCAST) native(), work_all();
    if (what != BCAST) work_all(), native();
}

static void ours_in_turn(void) {
    if (what == BCAST) ours(), work_all();
    if (what != BCAST) work_all(), ours();
}

// Each rank computes the blocks for the ranks behind it first, so that no two send to the same one all the time.
static void delta(void) {
    MPI_Request request;
    begin(&request);
    if (what == BCAST) MPIX_Delta_collective_end(&request);
    const int blocks = what == ALLTOALL ? ranks : 1;
    for (int k = 1; k <= blocks; k++) {
        const size_t block = what == ALLTOALL ? (size_t)((rank + k) % ranks) * (size_t)bytes : 0;
        for (int at = 0; at < bytes; at += part) {
            const size_t first = block + (size_t)at, end = block + (size_t)(at + part < bytes ? at + part : bytes);
            if (what == BCAST) MPIX_Delta_wait_data(result + first, end - first);
            work(first, end);
            if (what != BCAST) MPIX_Delta_send_data(contribution + first, end - first);
        }
    }
    if (what != BCAST) MPIX_Delta_collective_end(&request);
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}

static void message(void) {
    if (rank == 0) MPI_Send(result, bytes, MPI_BYTE, 1, 0, WORLD);
    if (rank == 1) MPI_Recv(result, bytes, MPI_BYTE, 0, 0, WORLD, MPI_STATUS_IGNORE);
}

static double slowest(void (*action)(void)) {
    double seconds = 0, most;
    MPI_Barrier(WORLD);
    seconds -= now();
    action();
    seconds += now();
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    return most;
}

static const char *outcome(size_t *size) {
    *size = what == ALLTOALL ? (size_t)bytes * (size_t)ranks : what == REDUCE && rank != 0 ? 0 : (size_t)bytes;
    return what == BCAST ? used : result;
}

static void check(void (*action)(void), const char *kind) {
    size_t size;
    const char *mine = outcome(&size);
    char *expected = malloc(size + 1);
    for (int k = 0; k < 2; k++) {
        memset(used, 0, produced());
        memset(result, what == BCAST && rank == 0 ? 7 : 0, (size_t)bytes * (size_t)ranks);
        k == 0 ? native_in_turn() : action();
        if (k == 0) memcpy(expected, mine, size);
    }
    if (memcmp(expected, mine, size) != 0) {
        fprintf(stderr, "delta-collectives: rank %d: %s of %d bytes, %s: not what MPI's own gives\n", rank, names[what],
                bytes, kind);
        MPI_Abort(WORLD, 1);
    }
    free(expected);
}

static void measure(double ratio, int reps) {
    static double samples[5][MOST_REPS];
    for (int k = 0; k < WARMUP; k++) slowest(message);
    for (int k = 0; k < reps; k++) samples[0][k] = slowest(message);
    double alone = median(samples[0], reps) * (what == ALLTOALL ? ranks - 1 : 1);
    MPI_Bcast(&alone, 1, MPI_DOUBLE, 0, WORLD);
    work_seconds = alone * ratio;
    check(ours_in_turn, "in turn");
    check(delta, "part by part");
    for (int k = 0; k < reps; k++) {
        samples[1][k] = slowest(work_all);
        samples[2][k] = slowest(native_in_turn);
        samples[3][k] = slowest(ours_in_turn);
        samples[4][k] = slowest(delta);
    }
    if (rank != 0) return;
    printf("{\"collective\":\"%s\",\"bytes\":%d,\"parts\":%d,\"message\":%.6g,\"compute\":%.6g,\"native\":%.6g,"
           "\"ours\":%.6g,\"delta\":%.6g}\n",
           names[what], bytes, (bytes + part - 1) / part, alone, median(samples[1], reps), median(samples[2], reps),
           median(samples[3], reps), median(samples[4], reps));
    fflush(stdout);
}

static void give_up(const char *why) {
    if (rank == 0) fprintf(stderr, "delta-collectives: %s\n", why);
    MPI_Finalize();
    exit(2);
}

int main(int argc, char **argv) {
    const char *asked = "reduce,bcast,alltoall", *sizes = "1048576";
    int reps = 5;
    double ratio = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    prctl(PR_SET_TIMERSLACK, 1UL);
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--dilate")) dilate = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--reps")) reps = atoi(argv[k + 1]);
        if (!strcmp(argv[k], "--sizes")) sizes = argv[k + 1];
        if (!strcmp(argv[k], "--ratio")) ratio = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--collectives")) asked = argv[k + 1];
    }
    if (ranks < 2) give_up("want at least 2 ranks");
    if (reps < 1 || reps > MOST_REPS) give_up("--reps: want 1 to 99");
    for (what = 0; what < COLLECTIVES; what++) {
        if (!strstr(asked, names[what])) continue;
        for (const char *at = sizes; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            bytes = atoi(at);
            if (bytes < (int)sizeof(int) || bytes > LARGEST || bytes % (int)sizeof(int))
                give_up("--sizes: want multiples of 4 up to 16 MiB");
            part = bytes / PARTS / (int)sizeof(int) * (int)sizeof(int);
            part = part < LEAST_PART ? LEAST_PART : part > MOST_PART ? MOST_PART : part;
            contribution = malloc((size_t)bytes * (size_t)ranks);
            result = malloc((size_t)bytes * (size_t)ranks);
            used = malloc((size_t)bytes * (size_t)ranks);
            if (!contribution || !result || !used) MPI_Abort(WORLD, 2);
            measure(ratio, reps);
            free(contribution), free(result), free(used);
        }
    }
    MPI_Finalize();
    return 0;
}
