// nbc: how much of a collective can be hidden, as NBCBench measures it (Hoefler, Lumsdaine, Rehm, SC07, section 4): single operations, begun by
// all ranks after a barrier; what the program pays for them is the time in their calls.
//
//   mpirun -n P nbc --dilate D --reps N --within S --sizes B,B --tests T,T --collectives bcast,reduce
//
// One line of JSON for each collective and size, medians of the slowest rank's times, in seconds, over N operations, or as many as take S seconds:
//
//   blocking        MPI_X
//   init_wait       MPI_Ix, MPI_Wait; of it MPI_Ix: init
//   skewed          MPI_X, and MPI_Ix with MPI_Wait, when the ranks come one after the other, in turn each of them first, over as long as MPI_X takes:
//                   from when the last one comes
//   compute         a computation alone, a tenth longer than init_wait
//   none            with that computation between MPI_Ix and MPI_Wait: overhead (in the two), overall
//   tests           the same with MPI_Test as often as pieces are on their ways, sixteenths of the message of 4 to 16 KiB, at least 16 times:
//                   overhead (in all three), testing (of it, in MPI_Test)
//   by_tests        the same with T tests, for each T
//
// A message is of so many bytes, or its blocks are. Reductions add up integers, which have one right sum: MPI_INT, or MPI_SIGNED_CHAR where a
// message is not of whole ones.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "harness/dilated.h"
#include "harness/median.h"

enum {
    LEAST_PIECE = 4 << 10,
    MOST_PIECE = 16 << 10,
    PIECES = 16,
    FEWEST_TESTS = 16,
    RESTS = 64,
    WARMUP = 3,
    MOST_REPS = 99,
    MOST_NUMBERS = 16,
    LARGEST = 16 << 20
};

static int rank, ranks, count, bytes;
static double dilate = 1;
static char *send_buffer, *receive_buffer, *expected;
static MPI_Datatype integer;
static MPI_Request request;

// How a computation is done beside an operation, and what was measured of it.
static struct Way {
    long tests;
    double overhead[MOST_REPS], testing[MOST_REPS], overall[MOST_REPS];
} ways[2 + MOST_NUMBERS];
static int all_ways = 2;

#define WORLD MPI_COMM_WORLD
#define SUM integer, MPI_SUM

static void bcast(void) {
    MPI_Bcast(receive_buffer, bytes, MPI_BYTE, 0, WORLD);
}
static void ibcast(void) {
    MPI_Ibcast(receive_buffer, bytes, MPI_BYTE, 0, WORLD, &request);
}
static void reduce(void) {
    MPI_Reduce(send_buffer, receive_buffer, count, SUM, 0, WORLD);
}
static void ireduce(void) {
    MPI_Ireduce(send_buffer, receive_buffer, count, SUM, 0, WORLD, &request);
}
static void allreduce(void) {
    MPI_Allreduce(send_buffer, receive_buffer, count, SUM, WORLD);
}
static void iallreduce(void) {
    MPI_Iallreduce(send_buffer, receive_buffer, count, SUM, WORLD, &request);
}
static void gather(void) {
    MPI_Gather(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, 0, WORLD);
}
static void igather(void) {
    MPI_Igather(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, 0, WORLD, &request);
}
static void scatter(void) {
    MPI_Scatter(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, 0, WORLD);
}
static void iscatter(void) {
    MPI_Iscatter(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, 0, WORLD, &request);
}
static void allgather(void) {
    MPI_Allgather(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, WORLD);
}
static void iallgather(void) {
    MPI_Iallgather(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, WORLD, &request);
}
static void alltoall(void) {
    MPI_Alltoall(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, WORLD);
}
static void ialltoall(void) {
    MPI_Ialltoall(send_buffer, bytes, MPI_BYTE, receive_buffer, bytes, MPI_BYTE, WORLD, &request);
}

static const struct Collective {
    const char *name;
    void (*blocking)(void), (*begin)(void);
} collectives[] = {
    {"bcast", bcast, ibcast},          {"reduce", reduce, ireduce},    {"allreduce", allreduce, iallreduce},
    {"gather", gather, igather},       {"scatter", scatter, iscatter}, {"allgather", allgather, iallgather},
    {"alltoall", alltoall, ialltoall},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

// Dissemination: each rank has heard from all, and nobody leaves much earlier than others. Before it a rest, as a link of the lab lets a
// first kilobyte or two through at once: what the operation before has used up is there again.
static void barrier(void) {
    const struct timespec rest = {0, 2000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
    for (int distance = 1; distance < ranks; distance *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % ranks, 0, NULL, 0, MPI_BYTE,
                     (rank - distance + ranks) % ranks, 0, WORLD, MPI_STATUS_IGNORE);
}

static double slowest(double seconds) {
    double most;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    return most;
}

// A look after each of `tests` parts. Returns the seconds in them.
static double compute(double seconds, long tests) {
    const long parts = tests > 0 ? tests : RESTS;
    double in_tests = 0;
    for (long k = 0; k < parts; k++) {
        dilated_work(seconds / (double)parts, dilate);
        if (tests > 0) {
            const double begin = now();
            int done;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            in_tests += now() - begin;
        }
    }
    return in_tests;
}

static double blocking(const struct Collective *what) {
    barrier();
    const double begin = now();
    what->blocking();
    return slowest(now() - begin);
}

static double init_wait(const struct Collective *what, double *init) {
    barrier();
    const double begin = now();
    what->begin();
    *init = now() - begin;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const double all = slowest(now() - begin);
    *init = slowest(*init);
    return all;
}

// Rank k comes k-th of those behind the first, who is another each time. The clock is one for all ranks (harness/clock.h).
static double skewed(const struct Collective *what, int is_blocking, double within, int first) {
    const int place = (rank - first % ranks + ranks) % ranks;
    double begin = 0, last;
    barrier();
    if (rank == 0) begin = now();
    MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, WORLD);
    const double comes = begin + within * (double)(place + 1) / (double)ranks;
    while (now() < comes) {
        const struct timespec until = {(time_t)comes, (long)((comes - (double)(time_t)comes) * 1e9)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    const double came = now();
    if (is_blocking)
        what->blocking();
    else {
        what->begin();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    const double end = slowest(now());
    MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    return end - last;
}

static double alone(double seconds) {
    barrier();
    const double begin = now();
    compute(seconds, 0);
    return slowest(now() - begin);
}

static void overlapped(const struct Collective *what, double seconds, struct Way *way, int k) {
    barrier();
    const double begin = now();
    what->begin();
    const double begun = now();
    const double in_tests = compute(seconds, way->tests);
    const double waits = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const double end = now();
    way->overall[k] = slowest(end - begin);
    way->testing[k] = slowest(in_tests);
    way->overhead[k] = slowest(begun - begin + in_tests + end - waits);
}

static void fill(void) {
    const size_t all = (size_t)count * (size_t)ranks;
    for (size_t k = 0; k < all; k++) {
        if (integer == MPI_INT)
            ((int *)send_buffer)[k] = rank * 1000 + (int)(k % 977);
        else
            send_buffer[k] = (char)((rank + (int)(k % 977)) % 5);
    }
    memset(receive_buffer, rank == 0 ? 7 : 0, (size_t)bytes * (size_t)ranks);
}

static void check(const struct Collective *what) {
    fill();
    what->blocking();
    memcpy(expected, receive_buffer, (size_t)bytes * (size_t)ranks);
    fill();
    what->begin();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (memcmp(expected, receive_buffer, (size_t)bytes * (size_t)ranks) == 0) return;
    fprintf(stderr, "nbc: rank %d: MPI_I%s of %d bytes is not what MPI_%s is\n", rank, what->name, bytes, what->name);
    MPI_Abort(WORLD, 1);
}

static void print(const char *name, struct Way *way, int reps) {
    printf("%s{\"number\":%ld,\"overhead\":%.6g,\"testing\":%.6g,\"overall\":%.6g}", name, way->tests,
           median(way->overhead, reps), median(way->testing, reps), median(way->overall, reps));
}

static void measure(const struct Collective *what, int reps, double within) {
    static double block[MOST_REPS], both[MOST_REPS], init[MOST_REPS], work[MOST_REPS], block_skewed[MOST_REPS],
        both_skewed[MOST_REPS];
    const int sixteenth = bytes / PIECES;
    const int piece = sixteenth < LEAST_PIECE ? LEAST_PIECE : sixteenth > MOST_PIECE ? MOST_PIECE : sixteenth;
    const long under_way = (long)((bytes + piece - 1) / piece) * (ranks - 1);
    ways[1].tests = under_way > FEWEST_TESTS ? under_way : FEWEST_TESTS;
    check(what);
    double longest = 0, blocks = 0, spent = 0;
    for (int k = 0; k < WARMUP && spent < within / WARMUP; k++) {
        blocks = blocking(what);
        longest = init_wait(what, init);
        spent += blocks + longest;
    }
    longest *= 1.1;
    const double repetition = 4 * blocks + (3 + all_ways) * longest;
    if (within < reps * repetition) reps = within < repetition ? 1 : (int)(within / repetition);
    for (int k = 0; k < reps; k++) {
        block[k] = blocking(what);
        both[k] = init_wait(what, &init[k]);
        block_skewed[k] = skewed(what, 1, blocks, k);
        both_skewed[k] = skewed(what, 0, blocks, k);
        work[k] = alone(longest);
        for (int way = 0; way < all_ways; way++) overlapped(what, longest, &ways[way], k);
    }
    if (rank != 0) return;
    printf("{\"collective\":\"%s\",\"bytes\":%d,\"reps\":%d,\"blocking\":%.6g,\"init_wait\":%.6g,\"init\":%.6g,"
           "\"compute\":%.6g,\"skewed\":{\"blocking\":%.6g,\"init_wait\":%.6g}",
           what->name, bytes, reps, median(block, reps), median(both, reps), median(init, reps), median(work, reps),
           median(block_skewed, reps), median(both_skewed, reps));
    print(",\"none\":", &ways[0], reps);
    print(",\"tests\":", &ways[1], reps);
    printf(",\"by_tests\":[");
    for (int way = 2; way < all_ways; way++) print(way > 2 ? "," : "", &ways[way], reps);
    printf("]}\n");
    fflush(stdout);
}

static void give_up(const char *why) {
    if (rank == 0) fprintf(stderr, "nbc: %s\n", why);
    MPI_Finalize();
    exit(2);
}

// Of a list with commas; NULL after the last.
static const char *next(const char *at) {
    const char *comma = strchr(at, ',');
    return comma ? comma + 1 : NULL;
}

int main(int argc, char **argv) {
    const char *names = "", *sizes = "65536", *numbers = NULL;
    int reps = 5;
    double within = 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    prctl(PR_SET_TIMERSLACK, 1UL);
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--dilate")) dilate = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--reps")) reps = atoi(argv[k + 1]);
        if (!strcmp(argv[k], "--within")) within = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--sizes")) sizes = argv[k + 1];
        if (!strcmp(argv[k], "--tests")) numbers = argv[k + 1];
        if (!strcmp(argv[k], "--collectives")) names = argv[k + 1];
    }
    if (reps < 1 || reps > MOST_REPS) give_up("--reps: want 1 to 99");
    for (const char *at = numbers; at; at = next(at)) {
        if (all_ways == 2 + MOST_NUMBERS || atol(at) < 1) give_up("--tests: want at most 16 numbers");
        ways[all_ways++].tests = atol(at);
    }
    for (int c = 0; c < COLLECTIVES; c++) {
        const char *named = *names ? strstr(names, collectives[c].name) : names;
        while (named && named != names && named[-1] != ',') named = strstr(named + 1, collectives[c].name);
        if (!named) continue;
        for (const char *at = sizes; at; at = next(at)) {
            bytes = atoi(at);
            if (bytes < 1 || bytes > LARGEST) give_up("--sizes: want 1 byte to 16 MiB");
            const int are_whole = bytes % (int)sizeof(int) == 0;
            integer = are_whole ? MPI_INT : MPI_SIGNED_CHAR;
            count = are_whole ? bytes / (int)sizeof(int) : bytes;
            send_buffer = malloc((size_t)bytes * (size_t)ranks);
            receive_buffer = malloc((size_t)bytes * (size_t)ranks);
            expected = malloc((size_t)bytes * (size_t)ranks);
            if (!send_buffer || !receive_buffer || !expected) MPI_Abort(WORLD, 2);
            measure(&collectives[c], reps, within);
            free(send_buffer), free(receive_buffer), free(expected);
        }
    }
    MPI_Finalize();
    return 0;
}
