// What the lab's tests run on two ranks: traffic rate BYTES | wait | hang
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

// Prints how many bits per second one message makes on links that were idle, the best of a few.
static void rate(int rank, int bytes) {
    enum { REPETITIONS = 5 };
    char *data = calloc((size_t)bytes, 1), answer = 0;
    double best = 0;
    for (int k = 0; k < REPETITIONS; k++) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        double begin = seconds(CLOCK_MONOTONIC);
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&answer, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        double bits = bytes * 8.0 / (seconds(CLOCK_MONOTONIC) - begin);
        if (bits > best) best = bits;
    }
    if (rank == 0) printf("bits %.0f\n", best);
    free(data);
}

// Prints how often rank 0 asks for a message that comes half a second after it began to ask. Not how much of a core that takes: others may
// need the cores.
static void wait(int rank) {
    int token = 0, flag = 0;
    long tests = 0;
    if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){0, 500000000}, NULL);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    for (; !flag; tests++) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("tests %ld\n", tests);
}

static void receive_what_nobody_sends(void) {
    int token;
    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "rate") && argc > 2) rate(rank, atoi(argv[2]));
    if (!strcmp(what, "wait")) wait(rank);
    if (!strcmp(what, "hang")) receive_what_nobody_sends();
    MPI_Finalize();
    return 0;
}
