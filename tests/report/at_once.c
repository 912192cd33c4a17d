/* An unmodified program that copies what it receives in the next line. Lines as in sites.c. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 18, TIMES = 10 };

int main(void) {
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *buffer = aligned_alloc(4096, BYTES), *copy = malloc(BYTES);
    memset(buffer, 1, BYTES);
    for (int k = 0; k < TIMES; k++) {
        MPI_Request request;
        MPI_Status status;
        if (rank == 0) {
            MPI_Isend(buffer, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
            usleep(20000);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: at once */
            memcpy(copy, buffer, BYTES);                                      /* line: touch */
        }
    }
    free(buffer), free(copy);
    MPI_Finalize();
}
