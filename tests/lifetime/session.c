/* A library of the program's: MPI begins in its constructor and ends in its destructor, before and after main, and it sends in both. */
#include "exchange.h"
#include <stdio.h>
#include <unistd.h>

static void check(int wrong) {
    if (!wrong) return;
    fputs("a library's messages were wrong\n", stderr);
    _exit(3);
}

__attribute__((constructor)) static void begin(void) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized) return;
    MPI_Init(NULL, NULL);
    check(exchange());
}

__attribute__((destructor)) static void end(void) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    check(exchange());
    MPI_Finalize();
}

int session_is_open(void) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    return initialized;
}
