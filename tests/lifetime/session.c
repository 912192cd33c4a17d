/* A library of the program's: MPI begins in its constructor and ends in its destructor, before and after main. */
#include <mpi.h>
#include <stddef.h>

__attribute__((constructor)) static void begin(void) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (!initialized) MPI_Init(NULL, NULL);
}

__attribute__((destructor)) static void end(void) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Finalize();
}

int session_is_open(void) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    return initialized;
}
