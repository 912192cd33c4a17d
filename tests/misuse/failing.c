/* failing HANDLER FORM: rank 1 expects fewer elements than rank 0 gives. The handler of their communicator is told (one of the program's), or fatal
 * (MPI_ERRORS_ARE_FATAL); MPI_COMM_WORLD has the other one. FORM is nonblocking or persistent. Rank 1 prints who was told. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 5000 };
static MPI_Comm comm;
static int calls, class_told = MPI_SUCCESS, is_comm;

static void handler(MPI_Comm *of, int *error, ...) {
    calls++;
    is_comm = *of == comm;
    MPI_Error_class(*error, &class_told);
}

int main(int argc, char **argv) {
    int rank;
    static int give[2 * N], get[2 * N];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Errhandler told;
    MPI_Init(&argc, &argv);
    const int by_comm = strcmp(argv[1], "told") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &told);
    MPI_Comm_set_errhandler(by_comm ? comm : MPI_COMM_WORLD, told);
    const int n = rank ? N - 1 : N;
    if (strcmp(argv[2], "nonblocking") == 0) {
        MPI_Ialltoall(give, n, MPI_INT, get, n, MPI_INT, comm, &request); /* HERE nonblocking */
    } else {
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
        MPI_Alltoall_init(give, n, MPI_INT, get, n, MPI_INT, comm, MPI_INFO_NULL, &request); /* HERE persistent */
        MPI_Start(&request);
#endif
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        printf("told %d times, %s, %s\n", calls, is_comm ? "comm" : "another",
               class_told == MPI_ERR_TRUNCATE ? "truncated" : "another error"),
            fflush(stdout);
    sleep(1); /* whoever fails first ends the job */
    _exit(0);
}
