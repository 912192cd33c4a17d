/* An unmodified program that waits in one call for what it began in another: rank 1 sends late, rank 0 waits. Lines as in sites.c. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 17, SMALL = 16, TIMES = 5, LATE = 60000 };

static char *early, *late;
static int rank;

static void send_late(int bytes, int tag) {
    usleep(LATE);
    MPI_Send(late, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

static void wait_for_one(void) {
    MPI_Request request;
    if (rank == 1) send_late(BYTES, 1);
    if (rank == 1) return;
    MPI_Irecv(late, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request); /* line: one */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                            /* line: wait one */
}

/* Its receive is the library's own. */
static void wait_for_a_small_one(void) {
    MPI_Request request;
    if (rank == 1) send_late(SMALL, 2);
    if (rank == 1) return;
    MPI_Irecv(late, SMALL, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request); /* line: small */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                            /* line: wait small */
}

/* What was sent before has come: what follows it on the same way has. */
static void all_before_has_come(void) {
    int word = 0;
    if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 11, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_early_and_late(int bytes, int tag) {
    MPI_Send(early, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    all_before_has_come();
    send_late(bytes, tag + 1);
}

static void wait_for_all(void) {
    MPI_Request requests[2];
    if (rank == 1) send_early_and_late(BYTES, 3);
    if (rank == 1) return;
    MPI_Irecv(early, BYTES, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &requests[0]); /* line: early of all */
    MPI_Irecv(late, BYTES, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[1]);  /* line: late of all */
    all_before_has_come();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* line: wait all */
}

static void wait_for_all_of_the_librarys(void) {
    MPI_Request requests[2];
    if (rank == 1) send_early_and_late(SMALL, 5);
    if (rank == 1) return;
    MPI_Irecv(early, SMALL, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[0]); /* line: early of natives */
    MPI_Irecv(late, SMALL, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &requests[1]);  /* line: late of natives */
    all_before_has_come();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* line: wait natives */
}

static void wait_for_any(void) {
    MPI_Request requests[2];
    volatile int times = 2; /* or the compiler makes two calls of one */
    int which;
    if (rank == 1) send_early_and_late(BYTES, 7);
    if (rank == 1) return;
    MPI_Irecv(late, BYTES, MPI_CHAR, 1, 8, MPI_COMM_WORLD, &requests[0]);  /* line: late of any */
    MPI_Irecv(early, BYTES, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[1]); /* line: early of any */
    all_before_has_come();
    for (int k = 0; k < times; k++) MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* line: wait any */
}

static void test(void) {
    MPI_Request request;
    int done = 0;
    if (rank == 1) send_late(BYTES, 9);
    if (rank == 1) return;
    MPI_Irecv(late, BYTES, MPI_CHAR, 1, 9, MPI_COMM_WORLD, &request); /* line: tested */
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);       /* line: test */
}

static void wait_for_a_persistent_one(MPI_Request *request) {
    if (rank == 1) send_late(BYTES, 10);
    if (rank == 1) return;
    MPI_Start(request);                   /* line: started */
    MPI_Wait(request, MPI_STATUS_IGNORE); /* line: wait started */
}

int main(void) {
    MPI_Request persistent;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    early = calloc(BYTES, 1);
    late = calloc(BYTES, 1);
    MPI_Recv_init(late, BYTES, MPI_CHAR, 1, 10, MPI_COMM_WORLD, &persistent);
    for (int k = 0; k < TIMES; k++) {
        void (*const waits[])(void) = {
            wait_for_one, wait_for_a_small_one, wait_for_all, wait_for_all_of_the_librarys, wait_for_any, test};
        for (int how = 0; how < 6; how++) {
            waits[how]();
            MPI_Barrier(MPI_COMM_WORLD);
        }
        wait_for_a_persistent_one(&persistent);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&persistent);
    free(early), free(late);
    MPI_Finalize();
}
