/* Rank 0 computes a message and sends it, rank 1 receives it and adds it up: C and C++, whatever the flags are.
 *
 * With OpenMP the threads prepare what the message is made of. The addresses that AddressSanitizer looks after are read and written as ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
double value(int i, int turn);
int omp_get_num_threads(void); /* of two LLVMs only one can have its omp.h on Debian */
#ifdef __cplusplus
}
#endif

enum { length = 100003, turns = 8 };

static double expected(void) {
    double sum = 0;
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < length; i++) sum += (value(i, turn) + 1) * (i % 7);
    return sum;
}

int main(int argc, char **argv) {
    int rank, threads = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *a = (double *)malloc(length * sizeof *a), *u = (double *)malloc(length * sizeof *u), sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        if (rank == 0) {
#ifdef _OPENMP
#pragma omp parallel for reduction(max : threads)
#endif
            for (int i = 0; i < length; i++) {
                u[i] = value(i, turn);
#ifdef _OPENMP
                threads = omp_get_num_threads();
#endif
            }
            for (int i = 0; i < length; i++) a[i] = u[i] + 1;
            MPI_Send(a, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(a, length, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < length; i++) sum += a[i] * (i % 7);
        }
    }
    if (rank == 0) printf("%d threads\n", threads);
    if (rank == 1) printf("%s\n", sum == expected() ? "right" : "wrong");
    free(a);
    free(u);
    MPI_Finalize();
    return 0;
}
