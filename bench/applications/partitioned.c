/* A message whose partitions are computed one after the other, and used one after the other (MPI 4.1, chapter 4), in several ways:
 *
 *   whole        all is computed, then sent by one persistent message, then used
 *   persistent   a persistent message for each partition
 *   partitioned  MPI_Pready, MPI_Parrived; the library's own, or Stretto's where this is linked with libstretto
 *   annotated    a delta send and a delta receive (only where linked with libstretto)
 *   pready       what MPI_Pready takes that only counts: of 65536 partitions of one byte
 *
 *   mpirun -n 2 partitioned WAY BYTES THREADS RATIO REPEATS PARTITIONS ...
 *
 * Computing all, and using all, takes RATIO times as long as the message on its way. THREADS threads of each rank share the partitions. Prints
 * one line of JSON: the times of a message and of computing it, and for each number of partitions the median of REPEATS turns: seconds from
 * where both ranks begin to where both have ended. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>

#include "harness/clock.h"
#include "harness/median.h"

#if defined STRETTO_PLAIN && MPI_VERSION < 4 && !(defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define HAS_NONE 1 /* MPI 3.1 */
#endif

enum { MOST_THREADS = 16 };
static int rank, threads, partitions, turn;
static long bytes, each; /* of the message, of a partition */
static double ratio;
static unsigned char *data;
static long units; /* of work for a partition */
static long wrong;
static const char *way;
static MPI_Request whole = MPI_REQUEST_NULL, *persistent;

static void give_up(const char *why) {
    if (rank == 0) fprintf(stderr, "partitioned: %s\n", why);
    MPI_Finalize();
    exit(2);
}

static void work(long n) {
    volatile unsigned long sink;
    unsigned long x = 1;
    for (long k = 0; k < n; k++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    sink = x;
    (void)sink;
}

static double seconds_of_unit(void) {
    enum { MANY = 2000000 };
    double least = 1;
    for (int k = 0; k < 7; k++) {
        const double begin = now();
        work(MANY);
        const double took = (now() - begin) / MANY;
        least = took < least ? took : least;
    }
    return least;
}

static void compute(int k) {
    work(units);
    memset(data + k * each, turn + k, (size_t)each);
}
static void use(int k) {
    const unsigned char *const from = data + k * each;
    const unsigned char is = (unsigned char)(turn + k);
    long others = 0;
    work(units);
    for (long i = 0; i < each; i++) others += from[i] != is;
    __atomic_fetch_add(&wrong, others, __ATOMIC_RELAXED);
}

/* What a thread does with its partitions, one after the other. */
static void partition_is_final(int k) {
    if (!strcmp(way, "persistent")) MPI_Start(&persistent[k]);
#ifndef HAS_NONE
    if (!strcmp(way, "partitioned")) MPI_Pready(k, whole);
#endif
#ifndef STRETTO_PLAIN
    if (!strcmp(way, "annotated")) MPIX_Delta_send_data(data + k * each, (size_t)each);
#endif
}
static void partition_is_needed(int k) {
    int here;
    if (!strcmp(way, "persistent"))
        while (MPI_Test(&persistent[k], &here, MPI_STATUS_IGNORE), !here) sched_yield();
#ifndef HAS_NONE
    if (!strcmp(way, "partitioned"))
        while (MPI_Parrived(whole, k, &here), !here) sched_yield();
#endif
#ifndef STRETTO_PLAIN
    if (!strcmp(way, "annotated")) MPIX_Delta_wait_data(data + k * each, (size_t)each);
#endif
}

static void *part(void *first) {
    for (int k = *(int *)first; k < partitions; k += threads) {
        if (rank == 1) partition_is_needed(k);
        (rank == 0 ? compute : use)(k);
        if (rank == 0) partition_is_final(k);
    }
    return NULL;
}

/* Threads of their own wait for each turn. */
static pthread_barrier_t begins, ended;
static int is_over;
static void *help(void *first) {
    for (;;) {
        pthread_barrier_wait(&begins);
        if (is_over) return NULL;
        part(first);
        pthread_barrier_wait(&ended);
    }
}
static void all_parts(void) {
    int first = 0;
    if (threads > 1) pthread_barrier_wait(&begins);
    part(&first);
    if (threads > 1) pthread_barrier_wait(&ended);
}

static void begin(void) {
    if (!strcmp(way, "partitioned")) MPI_Start(&whole);
    if (!strcmp(way, "persistent") && rank == 1) MPI_Startall(partitions, persistent);
    if (!strcmp(way, "whole") && rank == 1) {
        MPI_Start(&whole);
        MPI_Wait(&whole, MPI_STATUS_IGNORE);
    }
#ifndef STRETTO_PLAIN
    if (!strcmp(way, "annotated")) {
        if (rank == 0)
            MPIX_Delta_send_begin(data, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &whole);
        else
            MPIX_Delta_recv(data, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#endif
}
static void end(void) {
    if (!strcmp(way, "whole") && rank == 0) MPI_Start(&whole);
    if (!strcmp(way, "whole") || !strcmp(way, "partitioned")) MPI_Wait(&whole, MPI_STATUS_IGNORE);
    if (!strcmp(way, "persistent")) MPI_Waitall(partitions, persistent, MPI_STATUSES_IGNORE);
#ifndef STRETTO_PLAIN
    if (!strcmp(way, "annotated")) {
        if (rank == 0) {
            MPIX_Delta_send_end(&whole);
            MPIX_Delta_wait(&whole, MPI_STATUS_IGNORE);
        } else
            MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE);
    }
#endif
}

static void make_requests(void) {
    persistent = calloc((size_t)partitions, sizeof *persistent);
    for (int k = 0; k < partitions && !strcmp(way, "persistent"); k++)
        if (rank == 0)
            MPI_Send_init(data + k * each, (int)each, MPI_BYTE, 1, k, MPI_COMM_WORLD, &persistent[k]);
        else
            MPI_Recv_init(data + k * each, (int)each, MPI_BYTE, 0, k, MPI_COMM_WORLD, &persistent[k]);
    if (!strcmp(way, "whole")) {
        if (rank == 0)
            MPI_Send_init(data, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &whole);
        else
            MPI_Recv_init(data, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &whole);
    }
#ifndef HAS_NONE
    if (!strcmp(way, "partitioned")) {
        if (rank == 0)
            MPI_Psend_init(data, partitions, each, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
        else
            MPI_Precv_init(data, partitions, each, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
    }
#endif
}
static void free_requests(void) {
    for (int k = 0; k < partitions && !strcmp(way, "persistent"); k++) MPI_Request_free(&persistent[k]);
    if (whole != MPI_REQUEST_NULL) MPI_Request_free(&whole);
    free(persistent);
}

/* Both ranks are there when it begins: seconds until both have ended. */
static double one_turn(int number) {
    double mine, all;
    turn = number;
    if (rank == 1) memset(data, 0xff, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now();
    MPI_Allreduce(&start, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin();
    all_parts();
    end();
    mine = now() - all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static double seconds_of_message(void) {
    double samples[9];
    for (int k = 0; k < 9; k++) {
        char answer;
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = now();
        if (rank == 0) {
            MPI_Send(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
        samples[k] = now() - start;
    }
    double its = median(samples, 9);
    MPI_Bcast(&its, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return its;
}

#ifndef HAS_NONE
static void cost_of_pready(void) {
    enum { MANY = 65536, TURNS = 9 };
    static char in_ones[MANY];
    double samples[TURNS];
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(in_ones, MANY, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(in_ones, MANY, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int k = 0; k < TURNS; k++) {
        MPI_Start(&request);
        const double start = now();
        for (int one = 0; rank == 0 && one < MANY; one++) MPI_Pready(one, request);
        samples[k] = (now() - start) / MANY;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank == 0) printf("{\"pready_ns\":%.1f}\n", 1e9 * median(samples, TURNS));
}
#endif

static void measure(int repeats) {
    double *samples = malloc((size_t)repeats * sizeof *samples);
    each = bytes / partitions;
    make_requests();
    one_turn(0);
    for (int k = 0; k < repeats; k++) samples[k] = one_turn(k + 1);
    if (rank == 0) printf("{\"partitions\":%d,\"seconds\":%.9f}", partitions, median(samples, repeats));
    free_requests();
    free(samples);
}

int main(int argc, char **argv) {
    int level, ranks, first[MOST_THREADS];
    pthread_t all[MOST_THREADS];
    threads = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 7 || ranks != 2) give_up("usage: -n 2 partitioned WAY BYTES THREADS RATIO REPEATS PARTITIONS ...");
    way = argv[1], bytes = atol(argv[2]), ratio = atof(argv[4]);
    if (threads < 1 || threads > MOST_THREADS) give_up("THREADS: want 1 to 16");
    if (threads > 1 && level < MPI_THREAD_MULTIPLE) give_up("this library has no MPI_THREAD_MULTIPLE");
#ifdef HAS_NONE
    if (!strcmp(way, "partitioned") || !strcmp(way, "pready")) give_up("this library has no partitioned messages");
#else
    if (!strcmp(way, "pready")) {
        cost_of_pready();
        MPI_Finalize();
        return 0;
    }
#endif
    data = malloc((size_t)bytes);
    memset(data, 0, (size_t)bytes);
    const double message = seconds_of_message(), unit = seconds_of_unit(), computing = ratio * message;
    pthread_barrier_init(&begins, NULL, (unsigned)threads);
    pthread_barrier_init(&ended, NULL, (unsigned)threads);
    for (int k = 1; k < threads; k++) {
        first[k] = k;
        pthread_create(&all[k], NULL, help, &first[k]);
    }
    if (rank == 0) printf("{\"message_s\":%.9f,\"compute_s\":%.9f,\"cases\":[", message, computing);
    for (int k = 6; k < argc; k++) {
        partitions = atoi(argv[k]);
        if (partitions < 1 || bytes % partitions) give_up("PARTITIONS: want what divides BYTES");
        units = (long)(computing / partitions / unit);
        if (rank == 0 && k > 6) printf(",");
        measure(atoi(argv[5]));
    }
    if (threads > 1) {
        is_over = 1;
        pthread_barrier_wait(&begins);
    }
    for (int k = 1; k < threads; k++) pthread_join(all[k], NULL);
    long others = 0;
    MPI_Reduce(&wrong, &others, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("],\"verified\":%s}\n", others ? "false" : "true");
    free(data);
    MPI_Finalize();
    return 0;
}
