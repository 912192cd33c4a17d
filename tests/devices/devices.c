/* Messages out of a device's memory and into it, in all the ways that may be framed elsewhere; argument: what is done. The driver is loaded after
 * MPI_Init, from argv[2]. Prints "ok" where all bytes are right and libstretto has touched none of the device's. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef STRETTO_PLAIN
#include <stretto/stretto.h>
#endif

enum { MOST = 9000 };
static const int sizes[] = {8, 96, 500, 4032, MOST};
static int rank, ranks, bad;
static void (*copy)(void *, const void *, size_t);
static void *(*allocate)(size_t);
static char host[4 * MOST], expected[4 * MOST];

static void fill(char *memory, int bytes, int what) {
    for (int k = 0; k < bytes; k++) memory[k] = (char)(k * 31 + what);
}

static void put(char *device, int bytes, int what) {
    fill(host, bytes, what);
    copy(device, host, bytes);
}

static void check(const char *device, int bytes, int what) {
    fill(expected, bytes, what);
    copy(host, device, bytes);
    bad += memcmp(host, expected, bytes) != 0;
}

static void send_and_receive(char *mine, int on_device[2]) {
    static char plain[MOST];
    MPI_Request request;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int way = 0; way < 4; way++) {
            const int bytes = sizes[s], what = 10 * s + way;
            char *memory = on_device[rank] ? mine : plain;
            if (rank == 0) {
                put(memory, bytes, what);
                if (way == 0) MPI_Send(memory, bytes, MPI_BYTE, 1, way, MPI_COMM_WORLD);
                if (way == 1)
                    MPI_Isend(memory, bytes, MPI_BYTE, 1, way, MPI_COMM_WORLD, &request),
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                if (way == 2) MPI_Ssend(memory, bytes, MPI_BYTE, 1, way, MPI_COMM_WORLD);
                if (way == 3)
                    MPI_Sendrecv(memory, bytes, MPI_BYTE, 1, way, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
            } else {
                put(memory, bytes, 99);
                if (way == 1)
                    MPI_Irecv(memory, bytes, MPI_BYTE, 0, way, MPI_COMM_WORLD, &request),
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                if (way == 2) MPI_Probe(0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (way != 1) MPI_Recv(memory, bytes, MPI_BYTE, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                check(memory, bytes, what);
            }
        }
}

/* Every other piece of the device's memory, and a structure with a part on the host. */
static void send_types(char *mine) {
    enum { PIECE = 500, PIECES = 10 };
    static char part[PIECE];
    MPI_Datatype strided, both;
    MPI_Type_vector(PIECES, PIECE, 2 * PIECE, MPI_BYTE, &strided);
    MPI_Type_commit(&strided);
    put(mine, 2 * PIECE * PIECES, rank ? 50 : 7);
    if (rank == 0) MPI_Send(mine, 1, strided, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(mine, 1, strided, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fill(expected, 2 * PIECE * PIECES, 7);
        copy(host, mine, 2 * PIECE * PIECES);
        for (int k = 0; k < PIECES; k++) bad += memcmp(host + 2 * k * PIECE, expected + 2 * k * PIECE, PIECE) != 0;
    }
    MPI_Aint places[2];
    const int lengths[2] = {PIECE, MOST};
    const MPI_Datatype types[2] = {MPI_BYTE, MPI_BYTE};
    MPI_Get_address(part, &places[0]);
    MPI_Get_address(mine, &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_commit(&both);
    put(mine, MOST, rank ? 60 : 8);
    if (rank == 0) MPI_Send(MPI_BOTTOM, 1, both, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(MPI_BOTTOM, 1, both, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), check(mine, MOST, 8);
    MPI_Type_free(&strided);
    MPI_Type_free(&both);
}

/* One rank's buffers are on its device, the other's on the host. */
static void collect(char *mine, char *more) {
    static char here[MOST], all[2 * MOST];
    MPI_Request request;
    char *const given = rank ? here : mine, *const got = rank ? all : more;
    for (int root = 0; root < 2; root++) {
        put(given, MOST, rank == root ? 3 + root : 70);
        MPI_Ibcast(given, MOST, MPI_BYTE, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(given, MOST, 3 + root);
    }
    put(given, MOST / 2, 20 + rank);
    MPI_Iallgather(given, MOST / 2, MPI_BYTE, got, MOST / 2, MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(got, MOST / 2, 20);
    check(got + MOST / 2, MOST / 2, 21);
}

#ifndef STRETTO_PLAIN
static void send_deltas(char *mine) {
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(mine, MOST, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        put(mine, MOST, 5);
        MPIX_Delta_send_data(mine, MOST);
        MPIX_Delta_send_end(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        put(mine, MOST, 90);
        MPIX_Delta_recv(mine, MOST, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPIX_Delta_wait_data(mine, MOST);
        check(mine, MOST, 5);
        MPIX_Delta_recv_end(mine, MPI_STATUS_IGNORE);
    }
}
#endif

/* The window lets a part leave at once (STRETTO_BUDGET), the rest when we call MPI again: so the receive may return before. */
enum { MANY = 1 << 20 };
static void receive_into(char *memory) {
    MPI_Request request;
    if (rank == 0) {
        memset(memory, 'x', MANY);
        MPI_Isend(memory, MANY, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        usleep(50000);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        MPI_Recv(memory, MANY, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < MANY; k++) bad += memory[k] != 'x';
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(host, 8, MPI_BYTE, !rank, 0, expected, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    void *driver = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!driver) return fprintf(stderr, "%s\n", dlerror()), 1;
    copy = (void (*)(void *, const void *, size_t))dlsym(driver, "stand_in_copy");
    allocate = (void *(*)(size_t))dlsym(driver, "stand_in_allocate");
    char *mine = allocate(4 * MOST), *more = allocate(4 * MOST);
    if (!strcmp(argv[1], "messages"))
        for (int where = 1; where < 4; where++) send_and_receive(mine, (int[2]){where & 1, where >> 1});
    if (!strcmp(argv[1], "types")) send_types(mine);
    if (!strcmp(argv[1], "collectives")) collect(mine, more);
#ifndef STRETTO_PLAIN
    if (!strcmp(argv[1], "deltas")) send_deltas(mine);
#endif
    if (!strcmp(argv[1], "registered")) receive_into(((char *(*)(void))dlsym(driver, "stand_in_registered"))());
    if (!strcmp(argv[1], "host")) receive_into(aligned_alloc(4096, MANY));
    const long touches = ((long (*)(void))dlsym(driver, "stand_in_touches"))();
    if (bad || touches)
        printf("rank %d: %d wrong, %ld touched by libstretto\n", rank, bad, touches);
    else
        printf("ok\n");
    MPI_Finalize();
    return bad || touches;
}
