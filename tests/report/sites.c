/* An unmodified program whose waits are known: rank 0 sends, rank 1 receives and touches, each in its own way. What the report must say of a
 * line is found by the words behind it (test_report.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 18, TIMES = 5 };

static char *buffer, *copy;
static int rank;

/* The window lets a part leave at once (STRETTO_BUDGET), the rest when MPI is called again. */
static void send_slowly(void) {
    MPI_Request request;
    MPI_Isend(buffer, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request); /* line: isend */
    usleep(20000);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* line: wait */
}

static void receive_and_compute(void) {
    MPI_Status status;
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: late */
    usleep(40000);
    buffer[BYTES / 2]++; /* line: late touch */
}

static void receive_and_touch(void) {
    MPI_Status status;
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: at once */
    buffer[BYTES / 2]++;                                              /* line: touch */
}

static void receive_and_copy(void) {
    MPI_Status status;
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: copied */
    memcpy(copy, buffer, BYTES);                                      /* line: copy */
}

static void receive_and_unpack(void) {
    MPI_Status status;
    int at = 0;
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);      /* line: packed */
    MPI_Unpack(buffer, BYTES, &at, copy, BYTES, MPI_CHAR, MPI_COMM_WORLD); /* line: unpack */
}

static void receive_and_pack_others(void) {
    MPI_Status status;
    MPI_Aint address;
    int at = 0;
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: not used */
    MPI_Get_address(buffer, &address);
    MPI_Pack(&rank, 1, MPI_INT, copy, BYTES, &at, MPI_COMM_WORLD);
    buffer[BYTES / 2]++; /* line: used at last */
}

static void receive_and_meet(void) {
    MPI_Status status;
    if (rank == 0) send_slowly();
    if (rank == 1) MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status); /* line: met */
    int one = 1, all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* line: allreduce */
}

static void receive_and_wait_elsewhere(void) {
    MPI_Status status;
    char small[16] = "";
    if (rank == 0) {
        send_slowly();
        MPI_Send(small, sizeof small, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);                 /* line: blocked */
        MPI_Recv(small, sizeof small, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line: elsewhere */
    }
}

static void exchange_plainly(void) {
    MPI_Info info;
    MPI_Comm plain;
    MPI_Info_create(&info);
    MPI_Info_set(info, "stretto", "off");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &plain);
    MPI_Info_free(&info);
    if (rank == 0) MPI_Send(buffer, BYTES, MPI_CHAR, 1, 1, plain); /* line: plain */
    if (rank == 1) MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 1, plain, MPI_STATUS_IGNORE);
    MPI_Comm_free(&plain);
}

static void exchange_small(void) {
    char small[16] = "";
    if (rank == 0) MPI_Ssend(buffer, BYTES, MPI_CHAR, 1, 2, MPI_COMM_WORLD);                   /* line: ssend */
    if (rank == 1) MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line: whole */
    if (rank == 1) MPI_Send(small, sizeof small, MPI_CHAR, 0, 3, MPI_COMM_WORLD);              /* line: small */
    if (rank == 0) MPI_Recv(small, sizeof small, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = aligned_alloc(4096, BYTES);
    copy = malloc(BYTES);
    memset(buffer, 1, BYTES);
    void (*const receives[])(void) = {receive_and_compute, receive_and_touch, receive_and_copy, receive_and_unpack,
                                      receive_and_pack_others};
    for (int how = 0; how < 5; how++)
        for (int k = 0; k < TIMES; k++) {
            if (rank == 0) send_slowly();
            if (rank == 1) receives[how]();
            MPI_Barrier(MPI_COMM_WORLD);
        }
    for (int k = 0; k < TIMES; k++) receive_and_meet();
    for (int k = 0; k < TIMES; k++) receive_and_wait_elsewhere();
    for (int k = 0; k < TIMES; k++) exchange_small();
    for (int k = 0; k < TIMES; k++) exchange_plainly();
    if (argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    free(buffer);
    free(copy);
    return argc > 1 ? atoi(argv[1]) : 0;
}
