/* Messages between the constructor of a library, where MPI began, and its destructor, where it ends. With the argument "late" the library
 * is opened while main runs, and closed. Prints OK. */
#define _GNU_SOURCE
#include "exchange.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int try_it(void) {
    const int wrong = exchange();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) puts(wrong ? "wrong" : "OK");
    fflush(stdout);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "late") == 0) {
        void *const session = dlopen(argv[2], RTLD_NOW);
        const int wrong = try_it();
        dlclose(session);
        return wrong;
    }
#ifdef LINKED
    extern int session_is_open(void);
    if (!session_is_open()) return 2;
#endif
    return try_it();
}
