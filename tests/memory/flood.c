/* Every rank but 0 sends more than rank 0 wants to hold; rank 0 looks away, then lets MPI work until nothing more comes, and only then
 * receives.
 *
 *     flood plain|delta MESSAGES BYTES      messages of so many bytes, from each sender
 *
 * Rank 0 prints "grew KIB": how far its largest resident size rose until it began to receive. What it receives is compared
 * word by word. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <time.h>

enum { PIECE = 65536 };
static const double STILL = 1; // seconds in which nothing more has come: the senders are stuck

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static uint64_t word(int sender, long message, long place) {
    return ((uint64_t)sender << 56 ^ (uint64_t)message << 32 ^ (uint64_t)place) * 0x9E3779B97F4A7C15u;
}

// VmHWM, the largest resident size so far, in KiB.
static long largest_resident(void) {
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kib);
    fclose(status);
    return kib;
}

static void send_all(int rank, int delta, long messages, long bytes) {
    uint64_t *data = malloc(messages * bytes);
    MPI_Request *requests = malloc(messages * sizeof *requests);
    for (long m = 0; m < messages; m++)
        for (long i = 0; i < bytes / 8; i++) data[m * (bytes / 8) + i] = word(rank, m, i);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long m = 0; m < messages; m++) {
        uint64_t *mine = data + m * (bytes / 8);
        if (!delta) {
            MPI_Isend(mine, (int)(bytes / 8), MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &requests[m]);
            continue;
        }
        MPIX_Delta_send_begin(mine, (int)(bytes / 8), MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &requests[m]);
        for (long begin = 0; begin < bytes / 8; begin += PIECE / 8) {
            long end = begin + PIECE / 8 < bytes / 8 ? begin + PIECE / 8 : bytes / 8;
            MPIX_Delta_send_data(mine + begin, (end - begin) * 8);
        }
        MPIX_Delta_send_end(&requests[m]);
    }
    MPI_Waitall((int)messages, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(data);
}

static void receive_all(int ranks, long messages, long bytes) {
    uint64_t *data = malloc(bytes);
    memset(data, 1, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    long before = largest_resident(), largest = before;

    nanosleep(&(struct timespec){0, 700000000}, NULL);
    // A message that nobody sends is looked for: so whatever the library takes in unasked, it takes in now.
    int there = 0;
    for (double end = now() + STILL; now() < end && !there;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        long resident = largest_resident();
        if (resident > largest) end = now() + STILL;
        largest = resident;
    }
    printf("grew %ld\n", largest - before);
    fflush(stdout);

    for (long m = 0; m < messages; m++)
        for (int sender = 1; sender < ranks; sender++) {
            MPI_Recv(data, (int)(bytes / 8), MPI_UINT64_T, sender, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (long i = 0; i < bytes / 8; i++)
                if (data[i] != word(sender, m, i)) {
                    printf("message %ld of rank %d: word %ld is wrong\n", m, sender, i);
                    MPI_Abort(MPI_COMM_WORLD, 1);
                }
        }
    printf("grew in all %ld\nright\n", largest_resident() - before);
    free(data);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long messages = argc > 3 ? atol(argv[2]) : 1, bytes = argc > 3 ? atol(argv[3]) / 8 * 8 : 1 << 20;
    if (rank)
        send_all(rank, argc > 1 && !strcmp(argv[1], "delta"), messages, bytes);
    else
        receive_all(ranks, messages, bytes);
    // A receiver that ends first may leave its senders waiting: MPICH 5.0.2 over shared memory.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
