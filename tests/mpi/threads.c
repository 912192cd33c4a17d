/* Several threads at MPI_THREAD_MULTIPLE, each with messages of its own, and with shared ones. */
#include "promise.h"
#include <pthread.h>
#include <stretto/stretto.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 30 };

static void in_threads(void *(*body)(void *)) {
    pthread_t thread[THREADS];
    if (thread_level != MPI_THREAD_MULTIPLE || rank > 1) return;
    for (long i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, body, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

static void *ping_pong(void *number) {
    int me = (int)(long)number;
    unsigned char *from = malloc(LARGEST), *to = malloc(LARGEST);
    for (int i = 0; i < ROUNDS; i++) {
        int bytes = sizes[(i + me) % SIZES];
        MPI_Request request[2];
        MPI_Status status[2];
        fill(from, bytes, me * 1000 + i + rank);
        MPI_Isend(from, bytes, MPI_BYTE, 1 - rank, me, MPI_COMM_WORLD, &request[0]);
        if (i % 3 == 0) {
            MPI_Probe(1 - rank, me, MPI_COMM_WORLD, &status[0]);
            CHECK(status_is(&status[0], 1 - rank, me, bytes));
        }
        if (i % 3 == 1) {
            MPI_Recv(to, LARGEST, MPI_BYTE, 1 - rank, me, MPI_COMM_WORLD, &status[1]);
            MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(to, LARGEST, MPI_BYTE, 1 - rank, me, MPI_COMM_WORLD, &request[1]);
            MPI_Waitall(2, request, status);
        }
        CHECK(status_is(&status[1], 1 - rank, me, bytes) && holds(to, bytes, me * 1000 + i + 1 - rank));
    }
    free(from), free(to);
    return NULL;
}
PROMISE(threads_exchange_each_with_its_own_tag) {
    in_threads(ping_pong);
}

static MPI_Comm comms[THREADS];
static void *own_communicator(void *number) {
    int me = (int)(long)number;
    unsigned char *from = malloc(LARGEST), *to = malloc(LARGEST);
    for (int i = 0; i < ROUNDS; i++) {
        int bytes = sizes[(i * 5 + me) % SIZES];
        MPI_Status status;
        fill(from, bytes, me * 1000 + i + rank);
        MPI_Sendrecv(from, bytes, MPI_BYTE, 1 - rank, i, to, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[me],
                     &status);
        CHECK(status_is(&status, 1 - rank, i, bytes) && holds(to, bytes, me * 1000 + i + 1 - rank));
    }
    free(from), free(to);
    return NULL;
}
PROMISE(threads_exchange_each_on_its_own_communicator) {
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    in_threads(own_communicator);
    for (int i = 0; i < THREADS; i++) MPI_Comm_free(&comms[i]);
}

/* Hole 7: several threads take the same stream of messages, by matched probes, so that probe and receive are one. */
static int next_to_send;
static unsigned char taken[THREADS * ROUNDS];
static void *shared_stream(void *unused) {
    (void)unused;
    unsigned char *buffer = malloc(LARGEST);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Status status;
        if (rank == 0) {
            int n = __atomic_fetch_add(&next_to_send, 1, __ATOMIC_RELAXED), bytes = sizes[n % SIZES];
            if (bytes < 4) bytes = 4;
            fill(buffer, bytes, n);
            memcpy(buffer, &n, 4);
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 50, MPI_COMM_WORLD);
        } else {
            MPI_Message message;
            MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
            int bytes = count_of(&status, MPI_BYTE), n;
            MPI_Mrecv(buffer, bytes, MPI_BYTE, &message, &status);
            memcpy(&n, buffer, 4);
            int right = n >= 0 && n < THREADS * ROUNDS && bytes == (sizes[n % SIZES] < 4 ? 4 : sizes[n % SIZES]);
            for (int at = 4; right && at < bytes; at++) right = buffer[at] == byte_of(n, at);
            CHECK(right);
            if (right) CHECK(__atomic_fetch_add(&taken[n], 1, __ATOMIC_RELAXED) == 0);
        }
    }
    free(buffer);
    return NULL;
}
PROMISE(threads_share_a_stream_by_matched_probes) {
    next_to_send = 0;
    memset(taken, 0, sizeof taken);
    in_threads(shared_stream);
    if (thread_level == MPI_THREAD_MULTIPLE && rank == 1) CHECK(all_are(taken, sizeof taken, 1));
}

/* One thread sits in a blocking receive while another goes on. */
static void *one_waits(void *number) {
    int me = (int)(long)number;
    unsigned char *buffer = malloc(LARGEST);
    MPI_Status status;
    if (me == 0) {
        if (rank == 1) {
            MPI_Recv(buffer, LARGEST, MPI_BYTE, 0, 60, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 60, 70000) && holds(buffer, 70000, 60));
        }
    } else if (me == 1) {
        for (int i = 0; i < 10; i++) {
            if (rank == 0) fill(buffer, 20000, i), MPI_Send(buffer, 20000, MPI_BYTE, 1, 61, MPI_COMM_WORLD);
            if (rank == 1) {
                MPI_Recv(buffer, LARGEST, MPI_BYTE, 0, 61, MPI_COMM_WORLD, &status);
                CHECK(holds(buffer, 20000, i));
            }
        }
        if (rank == 1) MPI_Send(NULL, 0, MPI_BYTE, 0, 62, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 62, MPI_COMM_WORLD, &status);
            fill(buffer, 70000, 60);
            MPI_Send(buffer, 70000, MPI_BYTE, 1, 60, MPI_COMM_WORLD);
        }
    }
    free(buffer);
    return NULL;
}
PROMISE(a_thread_that_waits_holds_no_other_back) {
    in_threads(one_waits);
}

static void *communicators_come_and_go(void *number) {
    int me = (int)(long)number;
    unsigned char *from = malloc(LARGEST), *to = malloc(LARGEST);
    for (int i = 0; i < 10; i++) {
        MPI_Status status;
        if (me == 0) { /* collectives: one thread per communicator */
            MPI_Comm comm;
            MPI_Comm_split(comms[0], rank > 1 ? MPI_UNDEFINED : 0, rank, &comm);
            MPI_Comm_free(&comm);
        } else {
            fill(from, 20000, i + rank);
            MPI_Sendrecv(from, 20000, MPI_BYTE, 1 - rank, me, to, LARGEST, MPI_BYTE, 1 - rank, me, comms[1], &status);
            CHECK(holds(to, 20000, i + 1 - rank));
        }
    }
    free(from), free(to);
    return NULL;
}
PROMISE(a_thread_makes_communicators_while_others_exchange) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    in_threads(communicators_come_and_go);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

static void *delta_messages(void *number) {
    int me = (int)(long)number;
    unsigned char *from = malloc(LARGEST), *to = malloc(LARGEST);
    for (int i = 0; i < 10; i++) {
        MPI_Request request;
        MPI_Status status;
        int bytes = sizes[(i + me + 4) % SIZES];
        MPIX_Delta_send_begin(from, bytes, MPI_BYTE, 1 - rank, me, MPI_COMM_WORLD, &request);
        fill(from, bytes, me * 1000 + i + rank);
        for (int at = 0; at < bytes; at += 3000) MPIX_Delta_send_data(from + at, at + 3000 < bytes ? 3000 : bytes - at);
        MPIX_Delta_send_end(&request);
        MPIX_Delta_recv(to, LARGEST, MPI_BYTE, 1 - rank, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPIX_Delta_wait_data(to, bytes / 2);
        CHECK(holds(to, bytes / 2, me * 1000 + i + 1 - rank));
        MPIX_Delta_recv_end(to, &status);
        CHECK(status_is(&status, 1 - rank, me, bytes) && holds(to, bytes, me * 1000 + i + 1 - rank));
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
    free(from), free(to);
    return NULL;
}
PROMISE(threads_with_delta_messages_of_their_own) {
    in_threads(delta_messages);
}

/* A receive waits in one thread for what its sender does only once the others' calls are over. */
static void *one_receives(void *number) {
    enum { BYTES = 1 << 18 };
    int me = (int)(long)number;
    unsigned char *buffer = aligned_alloc(4096, BYTES);
    if (rank == 0 && me == 0) {
        MPI_Recv(buffer, BYTES, MPI_BYTE, 1, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(buffer, BYTES, 70));
    }
    if (rank == 0 && me > 0) usleep(20000);
    if (rank == 0 && me == 1) fill(buffer, BYTES, 71), MPI_Send(buffer, BYTES, MPI_BYTE, 1, 71, MPI_COMM_WORLD);
    if (rank == 0 && me == 2) MPI_Barrier(comms[0]);
    if (rank == 1 && me == 0) {
        MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(buffer, BYTES, 71));
        MPI_Barrier(comms[0]);
        fill(buffer, BYTES, 70), MPI_Send(buffer, BYTES, MPI_BYTE, 0, 70, MPI_COMM_WORLD);
    }
    free(buffer);
    return NULL;
}
PROMISE(a_thread_that_receives_holds_no_other_back) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &comms[0]);
    in_threads(one_receives);
    MPI_Comm_free(&comms[0]);
}

/* One thread sits in a call of MPI; the other sends, and calls no MPI until the first has come out. */
static int how_it_blocks, came_out;
static void *one_blocks(void *number) {
    enum { BYTES = 1 << 20 };
    int me = (int)(long)number;
    unsigned char *buffer = malloc(BYTES);
    MPI_Request request;
    if (rank == 0 && me == 0) {
        if (how_it_blocks == 0) MPI_Barrier(comms[0]);
        if (how_it_blocks == 1) MPI_Ssend(NULL, 0, MPI_BYTE, 1, 81, MPI_COMM_WORLD);
        if (how_it_blocks == 2) {
            MPI_Irecv(NULL, 0, MPI_BYTE, 1, 82, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        __atomic_store_n(&came_out, 1, __ATOMIC_RELEASE);
    }
    if (rank == 0 && me == 1) {
        usleep(20000);
        fill(buffer, BYTES, 80);
        MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 80, MPI_COMM_WORLD, &request);
        while (!__atomic_load_n(&came_out, __ATOMIC_ACQUIRE)) usleep(100);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1 && me == 0) {
        MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(buffer, BYTES, 80));
        if (how_it_blocks == 0) MPI_Barrier(comms[0]);
        if (how_it_blocks == 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, 81, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (how_it_blocks == 2) MPI_Send(NULL, 0, MPI_BYTE, 0, 82, MPI_COMM_WORLD);
    }
    free(buffer);
    return NULL;
}
static void while_one_blocks(int how) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &comms[0]);
    how_it_blocks = how;
    came_out = 0;
    in_threads(one_blocks);
    MPI_Comm_free(&comms[0]);
}
PROMISE(a_message_leaves_while_another_thread_is_in_a_collective) {
    while_one_blocks(0);
}
PROMISE(a_message_leaves_while_another_thread_sends_synchronously) {
    while_one_blocks(1);
}
PROMISE(a_message_leaves_while_another_thread_waits) {
    while_one_blocks(2);
}

/* The sender's message ends only when the other thread's call is over. */
static void *one_is_in_a_barrier(void *number) {
    enum { BYTES = 1 << 18 };
    int me = (int)(long)number;
    unsigned char *buffer = aligned_alloc(4096, BYTES);
    MPI_Request request;
    if (rank == 0 && me == 0) {
        MPIX_Delta_recv(buffer, BYTES, MPI_BYTE, 1, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(buffer, BYTES, 90));
        MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
    }
    if (rank == 0 && me == 1) usleep(20000), MPI_Barrier(comms[0]);
    if (rank == 1 && me == 0) {
        MPIX_Delta_send_begin(buffer, BYTES, MPI_BYTE, 0, 90, MPI_COMM_WORLD, &request);
        MPI_Barrier(comms[0]);
        fill(buffer, BYTES, 90);
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
    free(buffer);
    return NULL;
}
PROMISE(pages_a_thread_in_a_barrier_waits_for_no_message_of_another) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &comms[0]);
    for (int k = 0; k < 3; k++) in_threads(one_is_in_a_barrier);
    MPI_Comm_free(&comms[0]);
}
