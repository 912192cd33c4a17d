/* Rank 1 dies in the middle of a message, or of a collective; rank 0 is left with it.
 *
 *     death OPERATION      what rank 0 is doing: see below. It says "alone" when it is about to wait for what will not come. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4 << 20 };
static unsigned char *buffer;
static MPI_Request request;
static int rank;

static void nap(double seconds) {
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)}, NULL);
}

// Rank 1: half of a delta send leaves, then the process is gone.
static void send_half(void) {
    MPIX_Delta_send_begin(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    MPIX_Delta_send_data(buffer, BYTES / 2);
    int flag;
    MPI_Status status;
    for (int i = 0; i < 50; i++, nap(0.01)) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &status);
    raise(SIGKILL);
}

// The same, and a child of it lives on, which has no terminal and no pipe of the launcher's.
static void leave_a_child(void) {
    if (fork() == 0) {
        setsid();
        for (int file = 0; file <= 2; file++) close(file);
        nap(40);
        _exit(0);
    }
    send_half();
}

static void gather(void) {
    MPI_Igather(rank ? buffer : MPI_IN_PLACE, BYTES / 2, MPI_BYTE, buffer, BYTES / 2, MPI_BYTE, 0, MPI_COMM_WORLD,
                &request);
}

// Rank 1: comes to the first collective of a communicator, and to no other.
static void stay_away(void) {
    gather();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    nap(0.5);
    raise(SIGKILL);
}

// Rank 1: matches a message, takes some of it, and is gone.
static void receive_half(void) {
    MPI_Recv(buffer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nap(0.3); // rank 0 has handed over by now what the library takes
    raise(SIGKILL);
}

static void alone(void) {
    puts("alone");
    fflush(stdout);
}

static void in_receive(void) {
    alone();
    MPI_Recv(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void in_wait(void) {
    MPI_Irecv(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    alone();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void in_wait_data(void) {
    MPIX_Delta_recv(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Delta_wait_data(buffer, BYTES / 4);
    alone();
    MPIX_Delta_wait_data(buffer, BYTES);
    MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
}
static void in_delta_wait(void) {
    MPIX_Delta_send_begin(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    MPIX_Delta_send_data(buffer, BYTES / 2);
    MPI_Send(buffer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    MPIX_Delta_send_end(&request);
    alone();
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}
static void in_send(void) {
    MPI_Send(buffer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    alone();
    MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
}
static void begin_second_collective(void) {
    gather();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    gather();
}
static void in_collective(void) {
    begin_second_collective();
    alone();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void in_another_call(void) {
    MPI_Comm comm;
    begin_second_collective();
    alone();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

static const struct {
    const char *name;
    void (*survive)(void), (*die)(void);
} operations[] = {
    {"MPI_Recv", in_receive, send_half},
    {"MPI_Recv_of_a_parent", in_receive, leave_a_child},
    {"MPI_Wait", in_wait, send_half},
    {"MPIX_Delta_wait_data", in_wait_data, send_half},
    {"MPIX_Delta_wait", in_delta_wait, receive_half},
    {"MPI_Send", in_send, receive_half},
    {"MPI_Igather", in_collective, stay_away},
    {"MPI_Comm_dup", in_another_call, stay_away},
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(BYTES, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (argc > 1 && !strcmp(argv[1], operations[i].name)) {
            if (rank == 0) operations[i].survive();
            if (rank == 1) operations[i].die();
        }
    puts("through");
    MPI_Finalize();
    return 0;
}
