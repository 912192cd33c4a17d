/* One misuse of the delta calls, or of MPI around them, by name. Stretto ends the job and says which operation, bytes and line.
 *
 * Every misuse is marked HERE: the message names this file. */
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 100000 };
static unsigned char buffer[N], other[N];
static int rank;

static void begin(MPI_Request *request) {
    MPIX_Delta_send_begin(buffer, N, MPI_BYTE, 1, 7, MPI_COMM_WORLD, request);
}
static void end(MPI_Request *request) {
    MPIX_Delta_send_end(request);
    MPIX_Delta_wait(request, MPI_STATUS_IGNORE);
}

static void declared_twice(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_data(buffer + 4096, 4096);
    MPIX_Delta_send_data(buffer + 6000, 100); /* HERE */
    end(&request);
}
static void declared_twice_exactly(void) {
    MPI_Request request;
    begin(&request);
    for (int i = 0; i < 2; i++) MPIX_Delta_send_data(buffer + 4096, 4096); /* HERE */
    end(&request);
}
static void out_of_the_buffer(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_data(other + 100, 50); /* HERE */
    end(&request);
}
static void beyond_the_buffers_end(void) {
    static unsigned char both[2 * N];
    MPI_Request request;
    MPIX_Delta_send_begin(both, N, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
    MPIX_Delta_send_data(both + N - 10, 20); /* HERE */
    end(&request);
}
static void end_without_begin(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPIX_Delta_send_end(&request); /* HERE */
}
static void end_of_a_plain_send(void) {
    MPI_Request request;
    MPI_Isend(buffer, N, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
    MPIX_Delta_send_end(&request); /* HERE */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void ended_twice(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_end(&request);
    MPIX_Delta_send_end(&request); /* HERE */
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}
static void end_count_too_large(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_end_count(N + 1, &request); /* HERE */
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}
static void end_count_below_what_was_declared(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_data(buffer, 60000);
    MPIX_Delta_send_end_count(50000, &request); /* HERE */
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}
static void wait_before_the_end(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE); /* HERE */
}
/* Only where the message took its place at its end (rule 10): smaller than the threshold. */
static void send_between_begin_and_end(void) {
    MPI_Request request;
    MPIX_Delta_send_begin(buffer, 100, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
    MPI_Send(other, 100, MPI_BYTE, 1, 7, MPI_COMM_WORLD); /* HERE */
    end(&request);
}
static void written_after_it_left(void) {
    MPI_Request request;
    begin(&request);
    for (int at = 0; at < N; at += 1000) MPIX_Delta_send_data(buffer + at, 1000);
    buffer[5000]++; /* found at the end, with STRETTO_DEBUG=1 */
    end(&request);
}
/* Without annotations. The first REHEARSALS sends of the call site write upwards, once. */
enum { REHEARSALS = 2 };
static unsigned char *mapped;
static void swept(MPI_Request *request, int how_often) {
    for (int k = 0; k < how_often; k++) {
        MPIX_Delta_send_begin(mapped, N, MPI_BYTE, 1, 7, MPI_COMM_WORLD, request);
        for (int at = 0; at < N; at++) mapped[at] = (unsigned char)(at + k);
        if (k < REHEARSALS) end(request);
    }
}
static void written_again_after_it_left(void) {
    MPI_Request request;
    swept(&request, REHEARSALS + 1);
    mapped[5000]++;                /* WRITES */
    MPIX_Delta_send_end(&request); /* HERE */
}
static void unmapped_before_the_end(void) {
    MPI_Request request;
    swept(&request, REHEARSALS + 1);
    munmap(mapped, N); /* HERE */
    MPIX_Delta_send_end(&request);
}
static void receive_end_without_receive(void) {
    MPIX_Delta_recv_end(other, MPI_STATUS_IGNORE); /* HERE */
}
static void finalize_with_an_open_send(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_send_data(buffer, 1000);
}
/* MPI's own: the default error handler is fatal. */
static void truncated(void) {
    memset(buffer, 1, N);
    MPI_Send(buffer, N, MPI_BYTE, 1, 8, MPI_COMM_WORLD);
    MPI_Recv(other, N, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of a delta collective. Rank 1 takes no part. */
static void begin_collective(MPI_Request *request) {
    MPIX_Delta_gather_begin(buffer, N, MPI_BYTE, NULL, N, MPI_BYTE, 1, MPI_COMM_WORLD, request);
}
static void declared_twice_to_all(void) {
    MPI_Request request;
    begin_collective(&request);
    MPIX_Delta_send_data(buffer + 4096, 4096);
    MPIX_Delta_send_data(buffer + 6000, 100); /* HERE */
    MPIX_Delta_collective_end(&request);
}
static void out_of_the_contribution(void) {
    MPI_Request request;
    begin_collective(&request);
    MPIX_Delta_send_data(other + 100, 50); /* HERE */
    MPIX_Delta_collective_end(&request);
}
static void collective_end_without_begin(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPIX_Delta_collective_end(&request); /* HERE */
}
static void collective_end_of_a_send(void) {
    MPI_Request request;
    begin(&request);
    MPIX_Delta_collective_end(&request); /* HERE */
}
static void wait_before_the_collectives_end(void) {
    MPI_Request request;
    begin_collective(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* HERE */
}
static void finalize_with_an_open_collective(void) {
    MPI_Request request;
    begin_collective(&request);
    MPI_Finalize();
}

/* A receive whose call has returned before its message was known (STRETTO_RELEASE=unmatched) turns out to be too short. */
static void truncated_afterwards(void) {
    usleep(50000);
    MPI_Send(buffer, N, MPI_BYTE, 1, 8, MPI_COMM_WORLD);
    MPI_Recv(other, N, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void receives_too_little(void) {
    MPI_Recv(malloc(1 << 20), 20000, MPI_BYTE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
}

static const struct {
    const char *name;
    void (*of_rank_0)(void);
} misuses[] = {
    {"declared_twice", declared_twice},
    {"declared_twice_exactly", declared_twice_exactly},
    {"out_of_the_buffer", out_of_the_buffer},
    {"beyond_the_buffers_end", beyond_the_buffers_end},
    {"end_without_begin", end_without_begin},
    {"end_of_a_plain_send", end_of_a_plain_send},
    {"ended_twice", ended_twice},
    {"end_count_too_large", end_count_too_large},
    {"end_count_below_what_was_declared", end_count_below_what_was_declared},
    {"wait_before_the_end", wait_before_the_end},
    {"send_between_begin_and_end", send_between_begin_and_end},
    {"written_after_it_left", written_after_it_left},
    {"written_again_after_it_left", written_again_after_it_left},
    {"unmapped_before_the_end", unmapped_before_the_end},
    {"receive_end_without_receive", receive_end_without_receive},
    {"finalize_with_an_open_send", finalize_with_an_open_send},
    {"declared_twice_to_all", declared_twice_to_all},
    {"out_of_the_contribution", out_of_the_contribution},
    {"collective_end_without_begin", collective_end_without_begin},
    {"collective_end_of_a_send", collective_end_of_a_send},
    {"wait_before_the_collectives_end", wait_before_the_collectives_end},
    {"finalize_with_an_open_collective", finalize_with_an_open_collective},
    {"truncated", truncated},
    {"truncated_afterwards", truncated_afterwards},
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void (*misuse)(void) = NULL;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++)
        if (argc > 1 && strcmp(argv[1], misuses[i].name) == 0) misuse = misuses[i].of_rank_0;
    if (!misuse) return fprintf(stderr, "misuse: which?\n"), MPI_Abort(MPI_COMM_WORLD, 2), 2;
    mapped = mmap(NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rank == 0) misuse();
    if (rank == 1 && (misuse == written_again_after_it_left || misuse == unmapped_before_the_end))
        for (int k = 0; k < REHEARSALS; k++) MPI_Recv(buffer, N, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && misuse == truncated_afterwards) receives_too_little();
    if (rank == 1) /* a peer that waits: it must end too */
        MPI_Recv(buffer, misuse == truncated ? 100 : N, MPI_BYTE, 0, misuse == truncated ? 8 : 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Recv(other, N, MPI_BYTE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* never comes */
    MPI_Finalize();
    puts("not noticed");
    return 0;
}
