/* one FORM BYTES: an alltoall of so many bytes to each rank; FORM is blocking, nonblocking or persistent. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, bytes = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *send = calloc((size_t)ranks, (size_t)bytes), *recv = calloc((size_t)ranks, (size_t)bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    if (strcmp(argv[1], "blocking") == 0) {
        MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "nonblocking") == 0) {
        MPI_Ialltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5) /* which has them before it says so */
        MPI_Alltoall_init(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
#endif
    }
    free(send), free(recv);
    return MPI_Finalize();
}
