/* Put before an MPI library: rank 1 begins its receives late for as long as links are measured, as where another program has its core. */
#include "../stand_in.h"
#include <mpi.h>
#include <unistd.h>

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm communicator,
               MPI_Request *request) {
    static int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    static int (*rank_of)(MPI_Comm, int *);
    int rank;
    if (!irecv) *(void **)&irecv = in_the_library("PMPI_Irecv"), *(void **)&rank_of = in_the_library("PMPI_Comm_rank");
    rank_of(MPI_COMM_WORLD, &rank);
    if (rank == 1 && count > 10000) usleep(30000);
    return irecv(buffer, count, type, source, tag, communicator, request);
}
