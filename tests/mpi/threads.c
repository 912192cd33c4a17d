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
/* One thread receives what rank 0 sends only after a word from another one, which is late. */
static void *send_a_word(void *unused) {
    usleep(50000);
    MPI_Ssend(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    return unused;
}
PROMISE(a_thread_sends_what_the_sender_to_another_one_waits_for) {
    enum { WHOLE_PAGES = 1 << 18 };
    if (thread_level != MPI_THREAD_MULTIPLE || rank > 1) return;
    unsigned char *buffer = aligned_alloc(4096, WHOLE_PAGES);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fill(buffer, WHOLE_PAGES, 1);
        MPI_Send(buffer, WHOLE_PAGES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else {
        pthread_t other;
        pthread_create(&other, NULL, send_a_word, NULL);
        MPI_Recv(buffer, WHOLE_PAGES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(other, NULL);
        CHECK(holds(buffer, WHOLE_PAGES, 1));
    }
    free(buffer);
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
