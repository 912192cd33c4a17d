/* Large messages and a collective between the constructor of a library, where MPI began, and its destructor, where it ends. With the argument
 * "late" the library is opened while main runs, and closed. Prints OK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1 << 17 };

static int exchange(void) {
    int rank, wrong = 0, sum = 0, *block = malloc(MANY * sizeof *block);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < MANY; k++) block[k] = rank ? 0 : k;
    if (rank == 0) MPI_Send(block, MANY, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(block, MANY, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < MANY; k++) wrong += block[k] != k;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(wrong || sum != 1 ? "wrong" : "OK");
    fflush(stdout);
    free(block);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "late") == 0) {
        void *const session = dlopen(argv[2], RTLD_NOW);
        const int wrong = exchange();
        dlclose(session);
        return wrong;
    }
#ifdef LINKED
    extern int session_is_open(void);
    if (!session_is_open()) return 2;
#endif
    return exchange();
}
