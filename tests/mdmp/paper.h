/* The paper's Jacobi iteration, as it stands there but for the index of the first receive: its arrays are float, and have rows of NP values and
 * a border. WITH_MPI: its non-blocking calls in place of its directives. Prints a checksum of every bit of the result. In C and in C++. */
#ifndef WITH_MPI
#include <stretto/mdmp.h>
#endif
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { mp = 10, np = NP, maxiter = 15 };
typedef float grid[mp + 2][np + 2];
static grid old, new_values, edge;

static void jacobi(int prev, int next) {
    int iter, i, j;
#ifdef WITH_MPI
    MPI_Request requests[4];
    MPI_Status statuses[4];
#else
#pragma commregion
#endif
    for (iter = 1; iter <= maxiter; iter++) {
#ifdef WITH_MPI
        MPI_Irecv(&old[0][1], np, MPI_FLOAT, prev, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&old[mp + 1][1], np, MPI_FLOAT, next, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&old[mp][1], np, MPI_FLOAT, next, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&old[1][1], np, MPI_FLOAT, prev, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, statuses);
#else
#pragma recv(old[0][1], np, prev)
#pragma recv(old[mp + 1][1], np, next)
#pragma send(old[mp][1], np, next)
#pragma send(old[1][1], np, prev)
#endif
        for (i = 1; i < mp + 1; i++)
            for (j = 1; j < np + 1; j++)
                new_values[i][j] = 0.25f * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - edge[i][j]);
        for (i = 1; i < mp + 1; i++)
            for (j = 1; j < np + 1; j++) old[i][j] = new_values[i][j];
    }
#ifndef WITH_MPI
#pragma commregionfinished
#endif
}

static uint64_t checksum(const void *values, size_t bytes) {
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (size_t k = 0; k < bytes; k++) sum = (sum ^ ((const unsigned char *)values)[k]) * 1099511628211u;
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks, i, j;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = 0; i < mp + 2; i++)
        for (j = 0; j < np + 2; j++)
            old[i][j] = edge[i][j] = (float)((rank * mp + i) * 31 % 255) / 7 + (float)(j * 17 % 63) / 3;
    jacobi(rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL);
    uint64_t sum = checksum(old, sizeof old), all[16];
    MPI_Gather(&sum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (i = 0; rank == 0 && i < ranks; i++) printf("checksum %d %016llx\n", i, (unsigned long long)all[i]);
    MPI_Finalize();
    return 0;
}
