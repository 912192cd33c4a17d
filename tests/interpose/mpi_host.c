/* mpi_host LIBRARY: initializes MPI itself, then loads late.c's library, which receives by PMPI_Recv. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*late_exchange)(void) = handle ? (int (*)(void))dlsym(handle, "late_exchange") : NULL;
    if (!late_exchange) return fprintf(stderr, "mpi_host: %s\n", dlerror()), 2;
    int wrong = late_exchange();
    MPI_Finalize();
    return wrong;
}
