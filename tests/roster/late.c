/* Put before an MPI library: rank 1 begins its receives late for as long as links are measured, as where another program has its core. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,
               MPI_Request *request) {
    static int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int rank;
    if (!irecv) *(void **)&irecv = dlsym(RTLD_NEXT, "PMPI_Irecv");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && count > 10000) usleep(30000);
    return irecv(buffer, count, type, source, tag, communicator, request);
}
