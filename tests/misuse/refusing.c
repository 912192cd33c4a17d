/* An MPI library that does not take what stretto_tests_refuse says: 1: sends, 2: receives, on communicators that are none of the program's. */
#include "../stand_in.h"
#include <mpi.h>

__attribute__((visibility("default"))) int stretto_tests_refuse, stretto_tests_refused;

static int is_programs(MPI_Comm comm) {
    return comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
}

int PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
    static int (*real)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (!real) *(void **)&real = in_the_library("PMPI_Isend");
    if (stretto_tests_refuse == 1 && !is_programs(comm)) return stretto_tests_refused++, MPI_ERR_NO_MEM;
    return real(buf, count, type, dest, tag, comm, request);
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
    static int (*real)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (!real) *(void **)&real = in_the_library("PMPI_Irecv");
    if (stretto_tests_refuse == 2 && !is_programs(comm)) return stretto_tests_refused++, MPI_ERR_NO_MEM;
    return real(buf, count, type, source, tag, comm, request);
}
