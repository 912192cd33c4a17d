/* Put before an MPI library: rank 1 goes on late after all rounds in which links are measured but the first two, as where
 * another program has its core. */
#include "../stand_in.h"
#include <mpi.h>
#include <unistd.h>

int PMPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm), (*rank_of)(MPI_Comm, int *);
    *(void **)&allreduce = in_the_library("PMPI_Allreduce"), *(void **)&rank_of = in_the_library("PMPI_Comm_rank");
    static int rounds;
    const int error = allreduce(mine, all, count, type, operation, communicator);
    int rank;
    rank_of(MPI_COMM_WORLD, &rank);
    if (rank == 1 && operation == MPI_MIN && ++rounds >= 2) usleep(30000);
    return error;
}
