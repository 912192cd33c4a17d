/* refused FORM: large messages whose parts the library (refusing.c) does not take, one way and the other. Prints what each call returns, and whether
 * MPI_COMM_WORLD's handler was told; then that other messages still come. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 300000 };
static int told, told_class;
static void handler(MPI_Comm *comm, int *error, ...) {
    (void)comm;
    told++;
    MPI_Error_class(*error, &told_class);
}

int main(int argc, char **argv) {
    int rank, error, class = MPI_SUCCESS;
    MPI_Errhandler mine;
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char *buffer = calloc(1, N);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    int *const refuse = dlsym(RTLD_DEFAULT, "stretto_tests_refuse");
    int *const refused = dlsym(RTLD_DEFAULT, "stretto_tests_refused");
    const int sends = strstr(argv[1], "send") != NULL, waits = strstr(argv[1], "wait") != NULL;
    /* Matched, or the sender may wait for that before it sends what is refused. */
    if (sends && rank == 1) MPI_Irecv(malloc(N), N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        *refuse = sends;
        if (!sends)
            MPI_Isend(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        else if (!waits)
            error = MPI_Send(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        else {
            MPI_Isend(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (!sends) {
        *refuse = 2;
        if (!waits)
            error = MPI_Recv(buffer, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else {
            MPI_Irecv(buffer, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
            error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    *refuse = 0;
    if (rank == !sends) {
        MPI_Error_class(error, &class);
        printf("returned %s, told %d times %s, refused %d\n", class == MPI_ERR_NO_MEM ? "it" : "another", told,
               told_class == MPI_ERR_NO_MEM ? "it" : "another", *refused);
        fflush(stdout);
    }
    /* Another message, whole. */
    if (rank == 0) memset(buffer, 7, N), MPI_Send(buffer, N, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(buffer, N, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("then %d %d\n", buffer[0], buffer[N - 1]), fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0); /* of a message that has half left nobody knows how it ends */
}
