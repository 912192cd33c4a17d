/* Put before an MPI library: no thread but the first may send. */
#include "../stand_in.h"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm communicator,
               MPI_Request *request) {
    static int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (gettid() != getpid()) fprintf(stderr, "not so: only the first thread sends\n"), abort();
    if (!isend) *(void **)&isend = in_the_library("PMPI_Isend");
    return isend(buffer, count, type, dest, tag, communicator, request);
}
