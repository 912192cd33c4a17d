/* The Jacobi iteration of the MDMP paper (its figures 6 to 8), whose arrays are float: rows of `columns` values, `rows` of them a rank, and a
 * border. Built four times (bench/driver/mdmp.py):
 *
 *   -DBY_DIRECTIVES   by MDMP's directives
 *   -DBY_HAND         by MPI, the paper's optimised code: inner rows are computed while the border's messages are on their way
 *   -DALONE           nobody has a neighbour: the computation alone
 *   (none)            by MPI: all is received before anything is computed
 *
 *   mpirun -n 4 jacobi TURNS COLUMNS ROWS [COLUMNS ROWS ...]
 *
 * Prints one line of JSON: for each two, the slowest rank's seconds of a turn, and a checksum of every bit of the result. */
#include "results.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef BY_DIRECTIVES
#include <stretto/mdmp.h>
#endif

/* Row by row. */
static inline void compute(int first, int last, int np, float (*restrict to)[np + 2], float (*restrict old)[np + 2],
                           float (*restrict edge)[np + 2]) {
    for (int i = first; i <= last; i++)
        for (int j = 1; j <= np; j++)
            to[i][j] = 0.25f * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - edge[i][j]);
}

static void jacobi(int turns, int mp, int np, float (*restrict old)[np + 2], float (*restrict new_values)[np + 2],
                   float (*restrict edge)[np + 2], int prev, int next) {
#ifdef BY_DIRECTIVES
#pragma commregion
#else
    MPI_Request requests[4];
#endif
    for (int turn = 0; turn < turns; turn++) {
#ifdef BY_DIRECTIVES
#pragma recv(old[0][1], np, prev)
#pragma recv(old[mp + 1][1], np, next)
#pragma send(old[mp][1], np, next)
#pragma send(old[1][1], np, prev)
        compute(1, mp, np, new_values, old, edge);
#else
        MPI_Irecv(&old[0][1], np, MPI_FLOAT, prev, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&old[mp + 1][1], np, MPI_FLOAT, next, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&old[mp][1], np, MPI_FLOAT, next, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&old[1][1], np, MPI_FLOAT, prev, 2, MPI_COMM_WORLD, &requests[3]);
#ifdef BY_HAND
        compute(2, mp - 1, np, new_values, old, edge);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        compute(1, 1, np, new_values, old, edge);
        compute(mp, mp, np, new_values, old, edge);
#else
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        compute(1, mp, np, new_values, old, edge);
#endif
#endif
        for (int i = 1; i <= mp; i++)
            for (int j = 1; j <= np; j++) old[i][j] = new_values[i][j];
    }
#ifdef BY_DIRECTIVES
#pragma commregionfinished
#endif
}

/* The seconds of a turn, and a checksum. */
static double run(int turns, int mp, int np, int rank, int ranks, uint64_t *all) {
    const size_t bytes = sizeof(float) * (size_t)(mp + 2) * (size_t)(np + 2);
    float(*old)[np + 2] = malloc(bytes), (*new_values)[np + 2] = malloc(bytes), (*edge)[np + 2] = malloc(bytes);
    if (!old || !new_values || !edge) MPI_Abort(MPI_COMM_WORLD, 3);
    for (int i = 0; i < mp + 2; i++)
        for (int j = 0; j < np + 2; j++) {
            old[i][j] = edge[i][j] = (float)((rank * mp + i) * 31 % 255) / 7 + (float)(j * 17 % 63) / 3;
            new_values[i][j] = 0;
        }
    int prev = rank > 0 ? rank - 1 : MPI_PROC_NULL, next = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
#ifdef ALONE
    prev = next = MPI_PROC_NULL;
#endif
    jacobi(2, mp, np, old, new_values, edge, prev, next); /* connections, and what is learnt */
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    jacobi(turns, mp, np, old, new_values, edge, prev, next);
    double seconds = (MPI_Wtime() - begin) / turns, longest;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const uint64_t sum = checksum(old, bytes);
    MPI_Reduce(&sum, all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    free(old), free(new_values), free(edge);
    return longest;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int wrong = argc < 4 || argc % 2 || atoi(argv[1]) < 1;
    for (int k = 2; !wrong && k < argc; k += 2) wrong = atoi(argv[k]) < 1 || atoi(argv[k + 1]) < 2;
    if (wrong) {
        if (rank == 0) fprintf(stderr, "usage: %s TURNS COLUMNS ROWS ... (at least 1, 1 and 2)\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int k = 2; k < argc; k += 2) {
        uint64_t sum = 0;
        const double seconds = run(atoi(argv[1]), atoi(argv[k + 1]), atoi(argv[k]), rank, ranks, &sum);
        if (rank == 0) print_case(seconds, sum);
    }
    if (rank == 0) print_end();
    MPI_Finalize();
    return 0;
}
