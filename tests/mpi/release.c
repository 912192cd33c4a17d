/* Receives whose call returns before all has come (docs/release.md; STRETTO=receive): whatever the program does next, it sees what it would
 * see after MPI_Recv. Under any other setting these are promises of MPI like the others. */
#include "promise.h"
#include <pthread.h>
#include <stdint.h>
#include <stretto/stretto.h>
#include <unistd.h>

enum { BYTES = 1 << 18, TIMES = 8 };

static unsigned char *whole_pages(void) {
    unsigned char *memory = aligned_alloc(4096, BYTES);
    CHECK(memory != NULL);
    memset(memory, 0xEE, BYTES);
    return memory;
}

/* The window lets a part leave at once (STRETTO_BUDGET), the rest only when we call MPI again. */
static void send(unsigned char *buffer, unsigned what) {
    MPI_Request request;
    fill(buffer, BYTES, what);
    MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    usleep(20000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(unsigned char *buffer) {
    MPI_Status status;
    MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    CHECK(status_is(&status, 0, 1, BYTES));
}

static int is_content(const unsigned char *memory, long bytes, unsigned what) {
    for (long k = 0; k < bytes; k++)
        if (memory[k] != byte_of(what, k)) return 0;
    return 1;
}

PROMISE(released_a_message_is_read_in_any_order) {
    unsigned char *buffer = whole_pages();
    for (int how = 0; how < TIMES; how++) {
        if (rank == 0) send(buffer, how);
        if (rank == 1) {
            receive(buffer);
            int good = 1;
            for (long k = 0; k < BYTES; k++) {
                long at = how % 4 == 0   ? k
                          : how % 4 == 1 ? BYTES - 1 - k
                          : how % 4 == 2 ? k * 7919 % BYTES
                                         : k ^ 0x3000;
                good = good && buffer[at] == byte_of(how, at);
            }
            CHECK(good);
        }
    }
    free(buffer);
}

PROMISE(released_a_message_that_begins_anywhere_leaves_its_neighbours) {
    unsigned char *buffer = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        const int begin = 1000 * k, bytes = BYTES - 2 * begin;
        if (rank == 0) fill(buffer, bytes, k), MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            memset(buffer, 0xEE, BYTES);
            MPI_Recv(buffer + begin, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(all_are(buffer, begin, 0xEE) && all_are(buffer + begin + bytes, begin, 0xEE));
            CHECK(holds(buffer + begin, bytes, k));
        }
    }
    free(buffer);
}

/* A message before it fills the window, so that this one's header travels alone (STRETTO_BUDGET). */
PROMISE(released_what_shares_a_page_is_there_at_once) {
    unsigned char *buffer = whole_pages(), *before = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        const int begin = 1000 + 8 * k, bytes = BYTES - 2 * begin;
        if (rank == 0) {
            MPI_Request requests[2];
            fill(before, BYTES, 50 + k);
            fill(buffer, bytes, k);
            MPI_Isend(before, BYTES, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]);
            usleep(5000);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            memset(buffer, 0xEE, BYTES);
            MPI_Recv(buffer + begin, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(buffer[begin] == byte_of(k, 0) && buffer[begin + bytes - 1] == byte_of(k, bytes - 1));
            CHECK(holds(buffer + begin, bytes, k));
            MPI_Recv(before, BYTES, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(holds(before, BYTES, 50 + k));
        }
    }
    free(buffer);
    free(before);
}

PROMISE(released_a_message_of_unknown_size_has_its_status) {
    unsigned char *buffer = whole_pages();
    for (int k = 1; k < TIMES; k++) {
        const int bytes = BYTES / TIMES * k;
        if (rank == 0) {
            MPI_Request request;
            fill(buffer, BYTES, k);
            MPIX_Delta_send_begin(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            MPIX_Delta_send_data(buffer, BYTES / TIMES);
            usleep(5000);
            MPIX_Delta_send_end_count(bytes, &request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            memset(buffer, 0xEE, BYTES);
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, bytes) && holds(buffer, bytes, k));
        }
    }
    free(buffer);
}

PROMISE(released_a_message_is_sent_on_at_once) {
    unsigned char *buffer = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) {
            send(buffer, k);
            memset(buffer, 0, BYTES);
            MPI_Recv(buffer, BYTES, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(holds(buffer, BYTES, k));
        }
        if (rank == 1) {
            receive(buffer);
            MPI_Send(buffer, BYTES, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        }
    }
    free(buffer);
}

/* What has come is packed, unpacked, and written over by both. */
PROMISE(released_messages_are_packed_and_unpacked) {
    unsigned char *buffer = whole_pages(), *other = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) send(buffer, k);
        if (rank == 1) {
            int at = 0;
            MPI_Aint at_byte = 0;
            fill(other, BYTES, TIMES);
            receive(buffer);
            if (k % 4 == 0) MPI_Pack(buffer, BYTES, MPI_BYTE, other, BYTES, &at, MPI_COMM_WORLD);
            if (k % 4 == 1) MPI_Unpack_external("external32", buffer, BYTES, &at_byte, other, BYTES, MPI_BYTE);
            if (k % 4 == 2) MPI_Unpack(other, BYTES, &at, buffer, BYTES / 2, MPI_BYTE, MPI_COMM_WORLD);
            if (k % 4 == 3) MPI_Pack_external("external32", other, BYTES / 2, MPI_BYTE, buffer, BYTES, &at_byte);
            int wrong = 0;
            for (long byte = 0; byte < BYTES; byte++)
                wrong += buffer[byte] != byte_of(k % 4 < 2 || byte >= BYTES / 2 ? k : TIMES, byte);
            CHECK(!wrong && is_content(other, BYTES, k % 4 < 2 ? k : TIMES));
        }
    }
    free(buffer);
    free(other);
}

/* Wrong (MPI 4.1, 3.7.2), and done where nobody looks at the contents: such a program ends as it would with MPI alone. */
PROMISE(released_what_is_still_sent_is_received_into) {
    enum { MESSAGES = 3 }; /* as many as have tags: a native send is not known to us */
    unsigned char *buffers[MESSAGES];
    MPI_Request requests[MESSAGES];
    for (int k = 0; k < MESSAGES; k++) fill(buffers[k] = whole_pages(), BYTES, k);
    if (rank < 2) {
        for (int k = 0; k < MESSAGES; k++)
            MPI_Isend(buffers[k], BYTES, MPI_BYTE, 1 - rank, k, MPI_COMM_WORLD, &requests[k]);
        for (int k = 0; k < MESSAGES; k++)
            MPI_Recv(buffers[k], BYTES, MPI_BYTE, 1 - rank, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    }
    for (int k = 0; k < MESSAGES; k++) free(buffers[k]);
}

PROMISE(released_a_buffer_is_received_into_again) {
    unsigned char *buffer = whole_pages();
    if (rank == 0)
        for (int k = 0; k < TIMES; k++) send(buffer, k);
    if (rank == 1) {
        for (int k = 0; k < TIMES; k++) receive(buffer);
        CHECK(holds(buffer, BYTES, TIMES - 1));
    }
    free(buffer);
}

PROMISE(released_a_buffer_is_freed_at_once) {
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = whole_pages();
        if (rank == 0) send(buffer, k);
        if (rank == 1) receive(buffer);
        free(buffer);
    }
}

PROMISE(released_a_message_is_written_over) {
    unsigned char *buffer = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) send(buffer, k);
        if (rank == 1) {
            receive(buffer);
            fill(buffer + BYTES / 2, BYTES / 2, 100 + k);
            CHECK(holds(buffer, BYTES / 2, k) && holds(buffer + BYTES / 2, BYTES / 2, 100 + k));
        }
    }
    free(buffer);
}

PROMISE(released_messages_are_waited_for_together) {
    enum { NUMBER = 4 };
    unsigned char *buffers[NUMBER];
    MPI_Request requests[NUMBER];
    MPI_Status statuses[NUMBER];
    for (int m = 0; m < NUMBER; m++) buffers[m] = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        for (int m = 0; m < NUMBER; m++) {
            if (rank == 0) {
                fill(buffers[m], BYTES, NUMBER * k + m);
                MPI_Isend(buffers[m], BYTES, MPI_BYTE, 1, m, MPI_COMM_WORLD, &requests[m]);
                usleep(3000);
            }
            if (rank == 1) MPI_Irecv(buffers[m], BYTES, MPI_BYTE, 0, m, MPI_COMM_WORLD, &requests[m]);
        }
        if (rank > 1) continue;
        MPI_Waitall(NUMBER, requests, statuses);
        for (int m = NUMBER - 1; rank == 1 && m >= 0; m--) {
            CHECK(requests[m] == MPI_REQUEST_NULL && status_is(&statuses[m], 0, m, BYTES));
            CHECK(holds(buffers[m], BYTES, NUMBER * k + m));
        }
    }
    for (int m = 0; m < NUMBER; m++) free(buffers[m]);
}

PROMISE(released_a_message_is_used_by_a_collective) {
    unsigned char *buffer = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) send(buffer, k), memset(buffer, 0, BYTES);
        if (rank == 1) receive(buffer);
        MPI_Bcast(buffer, BYTES, MPI_BYTE, 1, MPI_COMM_WORLD);
        CHECK(holds(buffer, BYTES, k));
    }
    free(buffer);
}

static void *look_at_it(void *buffer) {
    return holds(buffer, BYTES, 5) ? buffer : NULL;
}

PROMISE(released_a_message_is_read_by_a_thread_that_calls_no_mpi) {
    unsigned char *buffer = whole_pages();
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) send(buffer, 5);
        if (rank == 1) {
            pthread_t thread;
            void *good = NULL;
            receive(buffer);
            pthread_create(&thread, NULL, look_at_it, buffer);
            CHECK(look_at_it(buffer) != NULL);
            pthread_join(thread, &good);
            CHECK(good != NULL);
        }
    }
    free(buffer);
}

PROMISE(released_a_message_is_never_looked_at) {
    unsigned char *buffer = whole_pages(); /* and never freed */
    if (rank == 0) send(buffer, 1);
    if (rank == 1) receive(buffer);
}

PROMISE(released_persistent_receives_are_started_again) {
    enum { NUMBER = 3 };
    unsigned char *buffers[NUMBER];
    MPI_Request requests[NUMBER];
    MPI_Status statuses[NUMBER];
    for (int m = 0; m < NUMBER && rank < 2; m++) {
        buffers[m] = whole_pages();
        if (rank == 0) MPI_Send_init(buffers[m], BYTES, MPI_BYTE, 1, m, MPI_COMM_WORLD, &requests[m]);
        if (rank == 1) MPI_Recv_init(buffers[m], BYTES, MPI_BYTE, 0, m, MPI_COMM_WORLD, &requests[m]);
    }
    for (int k = 0; k < TIMES && rank < 2; k++) {
        for (int m = 0; rank == 0 && m < NUMBER; m++) fill(buffers[m], BYTES, NUMBER * k + m);
        MPI_Startall(NUMBER, requests);
        if (rank == 0) usleep(10000);
        MPI_Waitall(NUMBER, requests, statuses);
        for (int m = NUMBER - 1; rank == 1 && m >= 0; m--) {
            CHECK(requests[m] != MPI_REQUEST_NULL && status_is(&statuses[m], 0, m, BYTES));
            if (k % 3 != m)
                CHECK(holds(buffers[m], BYTES, NUMBER * k + m)); /* else it is received into again, unread */
        }
    }
    for (int m = 0; m < NUMBER && rank < 2; m++) {
        if (rank == 1) CHECK(holds(buffers[m], BYTES, NUMBER * (TIMES - 1) + m));
        MPI_Request_free(&requests[m]);
        free(buffers[m]);
    }
}

PROMISE(released_a_persistent_receive_waits_for_what_comes_into_its_buffer) {
    enum { PART = 4000 };
    unsigned char *buffer = whole_pages(), *middle = buffer + BYTES / 2;
    MPI_Request requests[2];
    if (rank == 1) MPI_Recv_init(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
    if (rank == 1) MPI_Recv_init(middle, PART, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[1]);
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) {
            unsigned char part[PART];
            fill(buffer, BYTES, k);
            fill(part, PART, k + 50);
            MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]); /* some of it: see send() */
            MPI_Isend(part, PART, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[1]);
            usleep(20000);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            for (int m = 0; m < 2; m++) {
                MPI_Status status;
                MPI_Start(&requests[m]);
                MPI_Wait(&requests[m], &status);
                CHECK(status_is(&status, 0, 1 + m, m ? PART : BYTES));
            }
            CHECK(is_content(middle, PART, k + 50));
            for (long at = 0; at < BYTES; at += 97)
                if (at < BYTES / 2 || at >= BYTES / 2 + PART) CHECK(buffer[at] == byte_of(k, at));
        }
    }
    for (int m = 0; rank == 1 && m < 2; m++) MPI_Request_free(&requests[m]);
    free(buffer);
}

PROMISE(an_info_key_says_what_returns_early) {
    const char *word = getenv("STRETTO_TESTS_USE");
    unsigned char *buffer = whole_pages();
    MPI_Comm told, comm;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "stretto", word ? word : "chunk");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &told);
    MPI_Comm_dup(told, &comm);
    MPI_Info_free(&info);
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) {
            MPI_Request request;
            fill(buffer, BYTES, k);
            MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 1, comm, &request); /* some of it: see send() */
            usleep(20000);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, comm, &status);
            CHECK(status_is(&status, 0, 1, BYTES) && holds(buffer, BYTES, k));
        }
    }
    MPI_Comm_free(&told), MPI_Comm_free(&comm);
    free(buffer);
}

/* With STRETTO_RELEASE=unmatched a receive whose status nobody asks for returns before anything was sent. An allocator that is not glibc's
 * gives no mappings of their own: there, whole pages (STRETTO_TESTS_WHOLE_PAGES). */
static unsigned char *allocation(long bytes) {
    enum { PAGE = 4096, IN_A_MAPPING = 16, TRIES = 16 };
    unsigned char *memory, *in_heap[TRIES];
    int tries = 0;
    if (getenv("STRETTO_TESTS_WHOLE_PAGES"))
        memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    else /* glibc takes a free piece of the heap first, where one is large enough */
        while ((memory = malloc(bytes)) && (uintptr_t)memory % PAGE != IN_A_MAPPING && tries < TRIES)
            in_heap[tries++] = memory;
    CHECK(memory != NULL);
    while (tries > 0) free(in_heap[--tries]);
    memset(memory, 0xEE, bytes);
    return memory;
}

PROMISE(unmatched_rows_leave_what_shares_their_pages) {
    enum { ROWS = 12, ROW = 39000 };
    unsigned char *matrix = allocation(ROWS * ROW);
    for (int how = 0; how < TIMES; how++) {
        const int rows[] = {0, 5, 6, ROWS - 1};
        MPI_Request request[4];
        if (rank == 0) usleep(3000);
        for (int k = 0; k < 4; k++) {
            unsigned char *row = matrix + rows[k] * ROW;
            if (rank == 0) fill(row, ROW, 10 * how + k), MPI_Send(row, ROW, MPI_BYTE, 1, k, MPI_COMM_WORLD);
            if (rank == 1) MPI_Irecv(row, ROW, MPI_BYTE, 0, k, MPI_COMM_WORLD, &request[k]);
        }
        if (rank == 1) {
            MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
            for (int q = 0; q < 4; q++) {
                const int k = how % 2 ? q : 3 - q;
                CHECK(is_content(matrix + rows[k] * ROW, ROW, 10 * how + k));
                if (k % 2) matrix[rows[k] * ROW - 1] = how; /* of the row before */
            }
            CHECK(matrix[ROW] == 0xEE && matrix[5 * ROW - 1] == how && matrix[ROWS * ROW - ROW - 1] == how);
            CHECK(all_are(matrix + ROW, 4 * ROW - 1, 0xEE) && all_are(matrix + 7 * ROW, 4 * ROW - 1, 0xEE));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(matrix);
}

PROMISE(unmatched_a_shorter_message_leaves_the_rest) {
    unsigned char *buffer = allocation(BYTES), *sent = allocation(BYTES);
    const int sizes_of_it[] = {0, 1, 100, 5000, 20000, BYTES / 2 + 13, BYTES};
    for (int k = 0; k < 7; k++) {
        const int bytes = sizes_of_it[k];
        if (rank == 0) usleep(3000), fill(sent, BYTES, k), MPI_Send(sent, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            memset(buffer, 0xEE, BYTES);
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(all_are(buffer + bytes, BYTES - bytes, 0xEE));
            CHECK(is_content(buffer, bytes, k));
        }
    }
    free(buffer), free(sent);
}

PROMISE(unmatched_a_buffer_is_received_into_again) {
    unsigned char *buffer = allocation(BYTES);
    MPI_Request request;
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) usleep(1000), fill(buffer, BYTES, k), MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Irecv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (k % 3 == 2) CHECK(is_content(buffer, BYTES, k));
        }
    }
    if (rank == 1) CHECK(is_content(buffer, BYTES, TIMES - 1));
    free(buffer);
}

/* Rows come from both neighbours of a ring; the next ones are computed from them. */
PROMISE(unmatched_persistent_requests_exchange_rows) {
    unsigned char *in = allocation(2 * BYTES), *out = allocation(2 * BYTES);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Request requests[4];
    MPI_Recv_init(in, BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in + BYTES, BYTES, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(out, BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(out + BYTES, BYTES, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
    for (int k = 0; k < TIMES; k++) {
        if (k % ranks == rank) usleep(3000);
        fill(out, BYTES, 100 * k + rank);
        fill(out + BYTES, BYTES, 100 * k + 50 + rank);
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        memset(out, 0, 2 * BYTES);
        if (k % 3 == 2) continue; /* unread */
        CHECK(holds(in + BYTES, BYTES, 100 * k + 50 + right));
        CHECK(holds(in, BYTES, 100 * k + left));
    }
    CHECK(holds(in, BYTES, 100 * (TIMES - 1) + left));
    for (int k = 0; k < 4; k++) MPI_Request_free(&requests[k]);
    free(in), free(out);
}

PROMISE(unmatched_rows_are_passed_around_a_ring) {
    unsigned char *row[2] = {allocation(BYTES), allocation(BYTES)};
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    fill(row[0], BYTES, rank);
    for (int k = 0; k < TIMES; k++) {
        unsigned char *mine = row[k % 2], *next = row[1 - k % 2];
        if (k % ranks == rank) usleep(3000);
        MPI_Sendrecv(mine, BYTES, MPI_BYTE, right, 1, next, BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        memset(mine, 0xEE, BYTES);
        if (k % 3 == 0) CHECK(holds(next, BYTES, (rank + (k + 1) * (ranks - 1)) % ranks));
    }
    MPI_Sendrecv_replace(row[TIMES % 2], BYTES, MPI_BYTE, left, 1, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(holds(row[TIMES % 2], BYTES, (rank + 1 + TIMES * (ranks - 1)) % ranks));
    free(row[0]), free(row[1]);
}

/* Buffers are used again, unread: a send waits for what was received before it, not for what is received behind it. */
PROMISE(unmatched_shifts_into_a_few_buffers_go_on) {
    enum { SLOTS = 3, SHIFTS = 24 };
    unsigned char *in[SLOTS], *out = allocation(BYTES);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int slot = 0; slot < SLOTS; slot++) in[slot] = allocation(BYTES);
    for (int k = 0; k < SHIFTS; k++) {
        const int bytes = BYTES / 10 + k * 7919 % (BYTES - BYTES / 10), slots = k < SHIFTS / 2 ? SLOTS : 2;
        unsigned char *row = in[k % slots];
        MPI_Request request;
        if (k % ranks == rank) usleep(1000);
        fill(out, bytes, k + rank);
        if (k % 4 == 3)
            MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, row, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        else {
            MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request);
            MPI_Recv(row, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (k % 5 == 4) CHECK(holds(row, bytes, k + left));
    }
    CHECK(holds(in[(SHIFTS - 1) % 2], BYTES / 10 + (SHIFTS - 1) * 7919 % (BYTES - BYTES / 10), SHIFTS - 1 + left));
    for (int slot = 0; slot < SLOTS; slot++) free(in[slot]);
    free(out);
}

PROMISE(unmatched_a_message_waits_for_the_one_before_it) {
    unsigned char *buffer = allocation(BYTES);
    MPI_Request request[2];
    for (int k = 0; k < TIMES; k++) {
        unsigned char second[100];
        fill(second, 100, k + 50);
        if (rank == 0) {
            fill(buffer, BYTES, k);
            MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]); /* some of it: see send() */
            MPI_Isend(second, 100, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[1]);
            usleep(10000);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            for (int m = 0; m < 2; m++) {
                MPI_Irecv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[m]);
                if (m == 0) MPI_Wait(&request[m], MPI_STATUS_IGNORE);
            }
            for (int look = 0, done = 0; look < 20 && !done; look++, usleep(200))
                MPI_Test(&request[1], &done, MPI_STATUS_IGNORE);
            MPI_Wait(&request[1], MPI_STATUS_IGNORE);
            CHECK(is_content(buffer, 100, k + 50));
            for (long at = 100; at < BYTES; at += 97) CHECK(buffer[at] == byte_of(k, at));
        }
    }
    free(buffer);
}

PROMISE(unmatched_a_probed_message_waits_for_the_one_before_it) {
    unsigned char *buffer = allocation(BYTES), *second = allocation(BYTES);
    MPI_Request request;
    for (int k = 0; k < TIMES; k++) {
        const int bytes = k % 2 ? BYTES : 1000;
        if (rank == 0) {
            fill(second, bytes, k + 50);
            MPI_Isend(second, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
            usleep(10000);
            fill(buffer, BYTES, k);
            MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (k % 4 < 2)
                MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
            else
                MPI_Recv_init(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request), MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
            CHECK(is_content(buffer, bytes, k + 50));
            for (long at = bytes; at < BYTES; at += 97) CHECK(buffer[at] == byte_of(k, at));
        }
    }
    free(buffer), free(second);
}

PROMISE(unmatched_a_message_that_a_probe_passed_by_is_received) {
    unsigned char *buffer = allocation(BYTES), *second = allocation(BYTES);
    for (int k = 0; k < TIMES; k++) {
        if (rank == 0) {
            MPI_Request request[2];
            fill(buffer, BYTES, k), fill(second, BYTES, k + 50);
            MPI_Issend(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
            MPI_Isend(second, BYTES, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[1]);
            usleep(10000);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(is_content(buffer, BYTES, k));
            MPI_Recv(second, BYTES, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(is_content(second, BYTES, k + 50));
        }
    }
    free(buffer), free(second);
}

PROMISE(unmatched_nothing_is_seen_before_what_it_follows) {
    const int answers[] = {8, 3000, BYTES};
    unsigned char *buffer = allocation(BYTES), *answer = allocation(BYTES);
    for (int k = 0; k < 4 * 3; k++) {
        const int bytes = answers[k % 3], how = k / 3;
        if (rank == 0) {
            int here = 0;
            for (int look = 0; look < 30 && !here; look++) {
                MPI_Iprobe(1, 2, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
                usleep(300);
            }
            CHECK(!here);
            fill(buffer, BYTES, k);
            MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(answer, BYTES, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(is_content(answer, bytes, k + 50));
        }
        if (rank == 1) {
            MPI_Request request;
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fill(answer, bytes, k + 50);
            if (how == 0) MPI_Send(answer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
            if (how == 1) {
                MPI_Isend(answer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                memset(answer, 0, bytes); /* ours again */
            }
            if (how == 2)
                MPI_Sendrecv(answer, bytes, MPI_BYTE, 0, 2, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            if (how == 3) {
                MPI_Send_init(answer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
            }
            CHECK(is_content(buffer, BYTES, k));
        }
    }
    free(buffer), free(answer);
}

PROMISE(unmatched_a_collective_begins_when_all_is_matched) {
    unsigned char *buffer = allocation(BYTES);
    for (int k = 0; k < 2; k++) {
        MPI_Request barrier;
        int done = 0;
        if (rank == 0) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            for (int look = 0; look < 30 && !done; look++) MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), usleep(300);
            CHECK(!done);
            fill(buffer, BYTES, k);
            MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
        if (rank == 1) MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        if (!done) MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        if (rank == 1) CHECK(is_content(buffer, BYTES, k));
    }
    free(buffer);
}

PROMISE(unmatched_a_buffer_is_freed_unread) {
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = allocation(BYTES);
        if (rank == 0) usleep(1000), MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(buffer);
    }
}
