/* The ping-pong of the MDMP paper, in its four forms: each of two ranks copies what it received into what it sends back.
 *
 *   pingpong            all elements are sent, and nothing is computed
 *   selectivepingpong   the first SENT of all elements are sent, all are copied
 *   delaypingpong       DELAY additions for each element that is copied
 *   selectivedelaypingpong   both
 *
 * Built three times (bench/driver/mdmp.py): -DBY_DIRECTIVES, by MDMP's directives; -DBY_HAND, by MPI, as a patient programmer would: what is sent is
 * copied first, and leaves while the rest is copied; without either, by MPI's plain calls.
 *
 *   mpirun -n 2 pingpong TURNS ELEMENTS SENT DELAY [ELEMENTS SENT DELAY ...]
 *
 * Prints one line of JSON: for each three, the seconds of a turn (there and back), and a checksum of every bit of the last message. */
#include "results.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef BY_DIRECTIVES
#include <stretto/mdmp.h>
#endif

/* The paper's: a routine that adds an integer to a double, again and again. */
__attribute__((noinline, const)) static double delayed(double value, int delay) {
    for (int d = 0; d < delay; d++) value += 1;
    return value;
}

static inline void copy(int from, int to, int delay, const double *restrict in, double *restrict out) {
    for (int k = from; k < to; k++) out[k] = delayed(in[k], delay);
}

#ifdef BY_DIRECTIVES
static void serve(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
#pragma commregion
    for (int turn = 0; turn < turns; turn++) {
#pragma send(out[0], sent, 1)
#pragma recv(in[0], sent, 1)
        copy(0, n, delay, in, out);
    }
#pragma commregionfinished
}
static void answer(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
#pragma commregion
    for (int turn = 0; turn < turns; turn++) {
#pragma recv(in[0], sent, 0)
        copy(0, n, delay, in, out);
#pragma send(out[0], sent, 0)
    }
#pragma commregionfinished
}
#elif defined BY_HAND
static void serve(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
    MPI_Request request;
    MPI_Isend(out, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < turns; turn++) {
        MPI_Recv(in, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        copy(0, sent, delay, in, out);
        if (turn + 1 < turns) MPI_Isend(out, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        copy(sent, n, delay, in, out);
    }
}
static void answer(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
    MPI_Request request = MPI_REQUEST_NULL;
    for (int turn = 0; turn < turns; turn++) {
        MPI_Recv(in, sent, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        copy(0, sent, delay, in, out);
        MPI_Isend(out, sent, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
        copy(sent, n, delay, in, out);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#else
static void serve(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
    for (int turn = 0; turn < turns; turn++) {
        MPI_Send(out, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        copy(0, n, delay, in, out);
    }
}
static void answer(int turns, int n, int sent, int delay, double *restrict in, double *restrict out) {
    for (int turn = 0; turn < turns; turn++) {
        MPI_Recv(in, sent, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        copy(0, n, delay, in, out);
        MPI_Send(out, sent, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}
#endif

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int turns = argc > 1 ? atoi(argv[1]) : 0;
    int wrong = argc < 5 || argc % 3 != 2 || ranks != 2 || turns < 1;
    for (int k = 2; !wrong && k < argc; k += 3)
        wrong = atoi(argv[k + 1]) < 1 || atoi(argv[k]) < atoi(argv[k + 1]) || atoi(argv[k + 2]) < 0;
    if (wrong) {
        if (rank == 0)
            fprintf(stderr, "usage: mpirun -n 2 %s TURNS ELEMENTS SENT DELAY ...; 1 <= SENT <= ELEMENTS\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int k = 2; k < argc; k += 3) {
        const int n = atoi(argv[k]), sent = atoi(argv[k + 1]), delay = atoi(argv[k + 2]);
        double *in = malloc(sizeof *in * (size_t)n), *out = malloc(sizeof *out * (size_t)n);
        if (!in || !out) MPI_Abort(MPI_COMM_WORLD, 3);
        for (int i = 0; i < n; i++) in[i] = 2 * i, out[i] = i + 0.5;
        void (*const half)(int, int, int, int, double *restrict, double *restrict) = rank ? answer : serve;
        half(turns / 10 + 1, n, sent, delay, in, out); /* connections, and what is learnt */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        half(turns, n, sent, delay, in, out);
        const double seconds = (MPI_Wtime() - begin) / turns;
        if (rank == 0) print_case(seconds, checksum(out, sizeof *out * (size_t)n));
        free(in), free(out);
    }
    if (rank == 0) print_end();
    MPI_Finalize();
    return 0;
}
