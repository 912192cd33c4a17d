// library.h: the MPI library's own functions, which Stretto does not see. To compare a program with and without Stretto
// within one process: two launches differ by more than what is sought.
#pragma once
#include <mpi.h>

typedef struct {
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Recv) *recv;
} Calls;

// How a sample is repeated, in each order in turn: through the functions as the program is bound to them, through the
// library's own, and through those once more, which tells how much of a difference is chance.
enum { BOUND, DIRECT, AGAIN, VARIANTS };

#ifdef STRETTO_PLAIN
static Calls of_library(void) {
    return (Calls){MPI_Send, MPI_Recv};
}
#else
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static int is_library(struct dl_phdr_info *object, size_t size, void *path) {
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (!slash || strncmp(slash, "/libmpi", strlen("/libmpi"))) return 0;
    *(const char **)path = object->dlpi_name;
    return 1;
}

static Calls of_library(void) {
    const char *path = NULL;
    dl_iterate_phdr(is_library, &path);
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    Calls calls = {0};
    if (library) {
        *(void **)&calls.send = dlsym(library, "MPI_Send");
        *(void **)&calls.recv = dlsym(library, "MPI_Recv");
    }
    if (!calls.send || !calls.recv || calls.send == MPI_Send) {
        fprintf(stderr, "MPI's own functions are not to be found\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return calls;
}
#endif

static inline void of_variants(Calls calls[VARIANTS]) {
    calls[BOUND] = (Calls){MPI_Send, MPI_Recv};
    calls[DIRECT] = calls[AGAIN] = of_library();
}
