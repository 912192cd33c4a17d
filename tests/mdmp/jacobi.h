/* The paper's Jacobi iteration: rows of an array over the ranks, a halo on either side. Prints a checksum of every bit of the result.
 *
 *     jacobi ROWS COLUMNS ITERATIONS         rows of each rank
 *
 * WITH_MPI: by MPI's non-blocking calls, as the paper has it first; else by MDMP. In C and in C++. */
#ifndef WITH_MPI
#define STRETTO_MDMP_CALLS
#include <stretto/mdmp.h>
#endif
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, mp, np;

static float *rows(void) {
    return (float *)calloc((size_t)(mp + 2) * (size_t)(np + 2), sizeof(float));
}

static uint64_t checksum(const float *values, size_t n) {
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

#define AT(array, i, j) array[(size_t)(i) * (size_t)(np + 2) + (size_t)(j)]

static void exchange(float *old, int prev, int next) {
#ifdef WITH_MPI
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(&AT(old, 0, 1), np, MPI_FLOAT, prev, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&AT(old, mp + 1, 1), np, MPI_FLOAT, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&AT(old, mp, 1), np, MPI_FLOAT, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&AT(old, 1, 1), np, MPI_FLOAT, prev, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
#else
    MDMP_EXCHANGE();
    MDMP_RECV(AT(old, 0, 1), np, prev);
    MDMP_RECV(AT(old, mp + 1, 1), np, next);
    MDMP_SEND(AT(old, mp, 1), np, next);
    MDMP_SEND(AT(old, 1, 1), np, prev);
    MDMP_EXCHANGE_END();
#endif
}

static void solve(float *old, float *next_values, const float *edge, int iterations) {
    const int prev = rank > 0 ? rank - 1 : MPI_PROC_NULL, next = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
#ifndef WITH_MPI
    MDMP_REGION();
#endif
    for (int iteration = 1; iteration <= iterations; iteration++) {
        exchange(old, prev, next);
        for (int i = 1; i < mp + 1; i++)
            for (int j = 1; j < np + 1; j++)
                AT(next_values, i, j) = 0.25f * (AT(old, i - 1, j) + AT(old, i + 1, j) + AT(old, i, j - 1) +
                                                 AT(old, i, j + 1) - AT(edge, i, j));
        for (int i = 1; i < mp + 1; i++)
            for (int j = 1; j < np + 1; j++) AT(old, i, j) = AT(next_values, i, j);
    }
#ifndef WITH_MPI
    MDMP_REGION_END();
#endif
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mp = atoi(argv[1]), np = atoi(argv[2]);
    float *old = rows(), *next_values = rows(), *edge = rows();
    for (int i = 1; i < mp + 1; i++)
        for (int j = 1; j < np + 1; j++)
            AT(old, i, j) = AT(edge, i, j) = (float)((rank * mp + i) * 31 % 255) / 7 + (float)(j * 17 % 63) / 3;
    solve(old, next_values, edge, atoi(argv[3]));
    uint64_t sum = checksum(old, (size_t)(mp + 2) * (size_t)(np + 2)), all[64];
    MPI_Gather(&sum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int of = 0; of < ranks; of++) printf("checksum %d %016llx\n", of, (unsigned long long)all[of]);
    MPI_Finalize();
    return 0;
}
