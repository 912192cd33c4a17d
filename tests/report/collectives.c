/* An unmodified program with collectives, whose ranks compute while those are under way. Lines as in sites.c. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1 << 18, TIMES = 5 };

int main(void) {
    int ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *send = calloc((size_t)(N * ranks), sizeof *send), *got = calloc((size_t)(N * ranks), sizeof *got);
    MPI_Info info;
    MPI_Comm left_alone;
    MPI_Info_create(&info);
    MPI_Info_set(info, "stretto", "off");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &left_alone);
    MPI_Info_free(&info);
    for (int k = 0; k < TIMES; k++) {
        MPI_Request request;
        MPI_Bcast(send, N, MPI_INT, 0, MPI_COMM_WORLD); /* line: bcast */
        usleep(20000);
        send[N / 2]++;
        MPI_Ialltoall(send, N, MPI_INT, got, N, MPI_INT, MPI_COMM_WORLD, &request); /* line: begun */
        usleep(20000);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Bcast(send, N, MPI_INT, 0, left_alone); /* line: the librarys */
    }
    MPI_Comm_free(&left_alone);
    free(send), free(got);
    MPI_Finalize();
}
