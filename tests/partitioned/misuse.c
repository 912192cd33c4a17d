/* What a program does wrong with partitioned messages, one case a run: rank 0 sends to rank 1. */
#include <stretto/stretto.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTITIONS = 4, EACH = 20000 };
static char out[2 * PARTITIONS * EACH], in[PARTITIONS * EACH];

int main(int argc, char **argv) {
    int rank, flag;
    MPI_Request request;
    const char *what = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int told = !strcmp(what, "longer_told"), longer = told || !strcmp(what, "longer"), tag = told ? 40000 : 7;
    if (rank == 0)
        MPI_Psend_init(out, PARTITIONS, longer ? 2 * EACH : EACH, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    else
        MPI_Precv_init(in, PARTITIONS, EACH, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0 && !strcmp(what, "before_start")) MPI_Pready(2, request);
    MPI_Start(&request);
    if (rank == 0) {
        if (!strcmp(what, "started_twice")) MPI_Start(&request);
        MPI_Pready_range(0, 2, request);
        if (!strcmp(what, "missing_of_several")) {
            MPI_Request some[2] = {MPI_REQUEST_NULL, request};
            MPI_Waitany(2, some, &flag, MPI_STATUS_IGNORE);
        }
        if (!strcmp(what, "twice")) MPI_Pready(1, request);
        if (!strcmp(what, "no_partition")) {
            int class;
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Error_class(MPI_Pready(PARTITIONS, request), &class);
            if (class == MPI_ERR_ARG) fprintf(stderr, "misuse: the call returned MPI_ERR_ARG\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (!strcmp(what, "asked_of_a_send")) MPI_Parrived(request, 0, &flag);
        if (!strcmp(what, "freed")) MPI_Request_free(&request);
        if (strcmp(what, "missing")) MPI_Pready(3, request);
    } else if (!strcmp(what, "said_of_a_receive"))
        MPI_Pready(1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
