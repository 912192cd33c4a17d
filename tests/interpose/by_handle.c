/* by_handle LIBRARY all|mixed: takes its functions from the MPI library's own handle, as Julia does, so that they do not come to
 * Stretto. `all`: MPI_Init too, with messages up to 1 MiB. `mixed`: MPI_Init and the sends by name, the receives by handle,
 * with messages of 8 bytes: larger ones would be framed and are what the documentation says not to do. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "by_handle: no %s\n", name);
        exit(2);
    }
    return found;
}

int main(int argc, char **argv) {
    int all = argc > 2 && strcmp(argv[2], "all") == 0;
    library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library) return fprintf(stderr, "by_handle: %s\n", dlerror()), 2;
    int (*init)(int *, char ***) = all ? (int (*)(int *, char ***))symbol("MPI_Init") : MPI_Init;
    int (*finalize)(void) = all ? (int (*)(void))symbol("MPI_Finalize") : MPI_Finalize;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Send;
    if (all) send = (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))symbol("MPI_Send");
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) =
        (int (*)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))symbol("MPI_Recv");
    int (*comm_rank)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))symbol("MPI_Comm_rank");

    int largest = all ? 1 << 20 : 8, rank, sizes = 0, wrong = 0;
    init(&argc, &argv);
    comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *data = (unsigned char *)malloc(largest);
    for (int size = 8; size <= largest; size *= 2, ++sizes) {
        for (int i = 0; i < size; ++i) data[i] = rank == 0 ? (unsigned char)(i * 5 + size) : 0;
        if (rank == 0) send(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) recv(data, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; ++i) wrong += data[i] != (unsigned char)(i * 5 + size);
    }
    finalize();
    printf("rank %d: %d sizes, %d wrong\n", rank, sizes, wrong);
    free(data);
    return wrong != 0;
}
