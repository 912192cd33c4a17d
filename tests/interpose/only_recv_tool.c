/* A tool as they are written against MPI's profiling interface: it wraps MPI_Recv and nothing else. */
#include <mpi.h>
#include <stdio.h>

static int receives;

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    ++receives;
    return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

__attribute__((destructor)) static void report(void) {
    if (receives) printf("tool: %d receives\n", receives);
}
