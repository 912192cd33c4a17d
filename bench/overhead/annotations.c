// annotations: what the calls of stretto.h cost, in nanoseconds, as one line of JSON. With STRETTO_PLAIN: what the same takes
// with MPI_Isend.
//
//   STRETTO_FORCE=1 STRETTO_DELTA=4032 mpirun -n 2 annotations.stretto 4032
//
// BYTES are a delta, 4032 at most: within every library's eager limit. Two-sided it must be forced, as over shared memory some MPIs' messages
// are not framed; one-sided not, as the memory that they share is made small then.
//
//   idle_ns          an annotation with nothing in flight, less the loop around it
//   send_data_ns     MPIX_Delta_send_data that sends nothing, as its delta is not full
//   wait_data_ns     MPIX_Delta_wait_data whose bytes are there
//   per_delta_ns     MPIX_Delta_send_data that fills a delta (per_chunk_ns: MPI_Isend of as much)
//   copy_ns          memcpy of as much
//   per_message_ns   begin, end and wait of a delta send of two parts, a first fragment and a delta (MPI_Isend and MPI_Wait)
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>

#include "samples.h"

enum {
    STRIP = 64,
    MOST = 4032,
    CHUNKS = 64,
    MESSAGE = CHUNKS * MOST,
    TWO_PARTS = MOST + STRIP,
    CALLS = 32,
    IDLE_CALLS = 1 << 18
};
static char data[MESSAGE], copies[MESSAGE];
static int rank, delta = MOST;

static double idle(void) {
    static double with[SAMPLES], without[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        char *address = data;
        double begin = now();
        for (int k = 0; k < IDLE_CALLS; k++) {
            __asm__ volatile("" : "+r"(address)::"memory");
            MPIX_Delta_send_data(address, STRIP);
        }
        with[s] = now() - begin;
        begin = now();
        for (int k = 0; k < IDLE_CALLS; k++) __asm__ volatile("" : "+r"(address)::"memory");
        without[s] = now() - begin;
    }
    return (median(with, SAMPLES) - median(without, SAMPLES)) / IDLE_CALLS;
}

// Both ranks meet before each sample; rank 1's turn to be measured is when rank 0 has sent everything.
static void meet(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

#ifndef STRETTO_PLAIN
static double send_data(void) {
    static double t[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        meet();
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(data, MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            MPIX_Delta_send_data(data, STRIP);
            double begin = now();
            for (int k = 1; k <= CALLS; k++) MPIX_Delta_send_data(data + (long)k * STRIP, STRIP);
            t[s] = (now() - begin) / CALLS;
            MPIX_Delta_send_end(&request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(data, MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return median(t, SAMPLES);
}

static double wait_data(void) {
    static double t[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        meet();
        if (rank == 0) MPI_Send(data, MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) {
            MPIX_Delta_recv(data, MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPIX_Delta_wait_data(data, MESSAGE);
            double begin = now();
            for (int k = 0; k < CALLS; k++) MPIX_Delta_wait_data(data + (long)k * STRIP, STRIP);
            t[s] = (now() - begin) / CALLS;
            MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE);
        }
    }
    double mine = median(t, SAMPLES), theirs;
    MPI_Allreduce(&mine, &theirs, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return theirs;
}
#endif

static double per_delta(void) {
    static double t[SAMPLES * CHUNKS];
    int n = 0;
    for (int s = 0; s < SAMPLES; s++) {
        meet();
        if (rank == 0) {
#ifdef STRETTO_PLAIN
            MPI_Request request[CHUNKS];
            for (int k = 0; k < CHUNKS; k++) {
                double begin = now();
                MPI_Isend(data + (long)k * delta, delta, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[k]);
                t[n++] = now() - begin;
            }
            MPI_Waitall(CHUNKS, request, MPI_STATUSES_IGNORE);
#else
            MPI_Request request;
            MPIX_Delta_send_begin(data, CHUNKS * delta, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            MPIX_Delta_send_data(data, delta);
            // Before its match is known a message waits at most with a window of bytes.
            for (int k = 0, there; k < 1000; k++) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            for (int k = 1; k < CHUNKS; k++) {
                double begin = now();
                MPIX_Delta_send_data(data + (long)k * delta, delta);
                t[n++] = now() - begin;
            }
            MPIX_Delta_send_end(&request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
#endif
        } else if (rank == 1) {
#ifdef STRETTO_PLAIN
            MPI_Request request[CHUNKS];
            for (int k = 0; k < CHUNKS; k++)
                MPI_Irecv(data + (long)k * delta, delta, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request[k]);
            MPI_Waitall(CHUNKS, request, MPI_STATUSES_IGNORE);
#else
            MPI_Recv(data, MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
        }
    }
    return rank == 0 ? median(t, n) : 0;
}

static double copy(void) {
    static double t[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        double begin = now();
        for (int k = 0; k < CHUNKS; k++) {
            memcpy(copies + (long)k * delta, data + (long)k * delta, (size_t)delta);
            __asm__ volatile("" : : "r"(copies) : "memory");
        }
        t[s] = (now() - begin) / CHUNKS;
    }
    return median(t, SAMPLES);
}

static double per_message(void) {
    static double t[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        meet();
        double begin = now();
        if (rank == 0) {
            MPI_Request request;
#ifdef STRETTO_PLAIN
            MPI_Isend(data, TWO_PARTS, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
            MPIX_Delta_send_begin(data, TWO_PARTS, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            MPIX_Delta_send_data(data, TWO_PARTS);
            MPIX_Delta_send_end(&request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
#endif
        } else if (rank == 1) {
            MPI_Recv(data, TWO_PARTS, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        t[s] = now() - begin;
    }
    return median(t, SAMPLES);
}

int main(int argc, char **argv) {
    if (argc > 1) delta = atoi(argv[1]);
    if (delta < STRIP || delta > MOST) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(data, 1, sizeof data);
    double idle_s = idle();
#ifndef STRETTO_PLAIN
    double send_data_s = send_data(), wait_data_s = wait_data();
#endif
    double delta_s = per_delta(), copy_s = copy(), message_s = per_message();
    if (rank == 0) {
#ifdef STRETTO_PLAIN
        printf("{\"idle_ns\":%.3f,\"per_chunk_ns\":%.1f,", idle_s * 1e9, delta_s * 1e9);
#else
        printf("{\"idle_ns\":%.3f,\"send_data_ns\":%.2f,\"wait_data_ns\":%.2f,\"per_delta_ns\":%.1f,", idle_s * 1e9,
               send_data_s * 1e9, wait_data_s * 1e9, delta_s * 1e9);
#endif
        printf("\"delta_bytes\":%d,\"copy_ns\":%.1f,\"per_message_ns\":%.1f}\n", delta, copy_s * 1e9, message_s * 1e9);
    }
    MPI_Finalize();
    return 0;
}
