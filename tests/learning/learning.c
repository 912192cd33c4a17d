/* What is learnt of a call site changes in the middle of a program: messages that leave framed and messages left to the library, of one
   envelope, in any order of the two. The other rank receives them by every kind of receive. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGS = 3000, MESSAGES = 1200, TAG = 7 };

static void fill(long *data, int message) {
    for (int k = 0; k < LONGS; k++) data[k] = (long)message * LONGS + k;
}

static int is(const long *data, int message) {
    for (int k = 0; k < LONGS; k++)
        if (data[k] != (long)message * LONGS + k) return 0;
    return 1;
}

static void send(long *data, int message, MPI_Request *persistent) {
    MPI_Request request;
    switch (message % 4) {
    case 0:
        MPI_Send(data, LONGS, MPI_LONG, 1, TAG, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Isend(data, LONGS, MPI_LONG, 1, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Start(persistent);
        MPI_Wait(persistent, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Sendrecv(data, LONGS, MPI_LONG, 1, TAG, NULL, 0, MPI_LONG, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void receive(long *data, int message) {
    MPI_Request request;
    MPI_Message matched;
    MPI_Status status;
    int count;
    switch (message % 3) {
    case 0:
        MPI_Recv(data, LONGS, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        break;
    case 1:
        MPI_Irecv(data, LONGS, MPI_LONG, 0, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        break;
    default:
        MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &matched, &status);
        MPI_Get_count(&status, MPI_LONG, &count);
        CHECK(count == LONGS, message);
        MPI_Mrecv(data, LONGS, MPI_LONG, &matched, &status);
    }
    MPI_Get_count(&status, MPI_LONG, &count);
    CHECK(count == LONGS && status.MPI_SOURCE == 0 && status.MPI_TAG == TAG, message);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long *data = malloc(LONGS * sizeof *data);
    MPI_Request persistent;
    MPI_Send_init(data, LONGS, MPI_LONG, 1, TAG, MPI_COMM_WORLD, &persistent);
    for (int message = 0; message < MESSAGES; message++) {
        if (rank == 0) {
            fill(data, message);
            send(data, message, &persistent);
        } else if (rank == 1) {
            receive(data, message);
            CHECK(is(data, message), message);
        }
    }
    MPI_Request_free(&persistent);
    free(data);
    if (rank == 1) printf("%d messages\n", MESSAGES);
    MPI_Finalize();
    return 0;
}
