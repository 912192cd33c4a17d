/* Delta messages without annotations: pages say what is final and what is needed (docs/pages.md). Whatever the order in which a program
 * writes and reads, and whatever it does with a buffer meanwhile, it sees what it would see after MPI_Send and MPI_Recv. */
#define _GNU_SOURCE
#include "promise.h"
#include <pthread.h>
#include <stretto/stretto.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MANY = 1 << 20, TIMES = 4 }; /* the second or third operation of a call site is the first that leaves early */

static unsigned char *own_pages(size_t bytes) {
    size_t page = sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    unsigned char *memory = aligned_alloc(page, whole);
    CHECK(memory != NULL);
    memset(memory, 0xEE, whole);
    return memory;
}

/* --- what is sent ------------------------------------------------------------------------------------------------- */

static void expect(int bytes, unsigned what) {
    MPI_Status status;
    memset(in, 0xEE, LARGEST);
    MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    CHECK(status_is(&status, 0, 1, bytes) && holds(in, bytes, what));
}

#define SEND(bytes, ...)                                                                \
    do {                                                                                \
        MPI_Request request;                                                            \
        MPIX_Delta_send_begin(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request); \
        __VA_ARGS__;                                                                    \
        MPIX_Delta_send_end(&request);                                                  \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                          \
        memset(buffer, 0xDD, bytes);                                                    \
    } while (0)

PROMISE(pages_an_array_written_upwards_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < SIZES * TIMES; i++) {
        int bytes = sizes[SIZES - 1 - i % SIZES];
        if (rank == 0) SEND(bytes, fill(buffer, bytes, i));
        if (rank == 1) expect(bytes, i);
    }
    free(buffer);
}

PROMISE(pages_an_array_written_downwards_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) SEND(LARGEST, for (int at = LARGEST - 1; at >= 0; at--) buffer[at] = byte_of(i, at));
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}

PROMISE(pages_an_array_that_begins_anywhere_arrives) {
    unsigned char *memory = own_pages(LARGEST + 5000);
    for (int i = 0; i < 5 * TIMES; i++) {
        unsigned char *buffer = memory + 997 * (i / TIMES);
        if (rank == 0) {
            SEND(LARGEST, fill(buffer, LARGEST, i));
            CHECK(all_are(memory, buffer - memory, i / TIMES ? 0xDD : 0xEE) || i / TIMES); /* its neighbours stay */
        }
        if (rank == 1) expect(LARGEST, i);
    }
    free(memory);
}

/* Of each element the second half is written first. Rehearsed where elements end with pages, then sent where they lie across their borders. */
PROMISE(pages_elements_across_the_borders_of_another_buffer_arrive) {
    enum { HALF = 32, BYTES = 10 * 4096 };
    unsigned char *memory = own_pages(BYTES + HALF);
    for (int i = 0; i < 3 * TIMES; i++) {
        unsigned char *buffer = memory + (i < TIMES || i % 2 ? 0 : HALF);
        if (rank == 0)
            SEND(
                BYTES, for (int at = 0; at < BYTES; at += 2 * HALF) for (int k = 0; k < 2 * HALF; k++) {
                    int here = at + (k + HALF) % (2 * HALF);
                    ((volatile unsigned char *)buffer)[here] = byte_of(i, here);
                });
        if (rank == 1) expect(BYTES, i);
    }
    free(memory);
}

PROMISE(pages_an_array_of_zeros_that_is_filled_afterwards_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) SEND(LARGEST, (memset(buffer, 0, LARGEST), fill(buffer, LARGEST, i)));
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}

/* Each strip is computed, and then added to: some reach over a page's border. */
PROMISE(pages_strips_that_are_worked_on_twice_arrive) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0)
            SEND(
                LARGEST, for (int at = 0; at < LARGEST; at += 1000) {
                    int end = at + 1000 < LARGEST ? at + 1000 : LARGEST;
                    for (int k = at; k < end; k++) buffer[k] = byte_of(i, k) - 1;
                    for (int k = at; k < end; k++) buffer[k]++;
                });
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}

PROMISE(pages_an_array_written_in_no_order_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0)
            SEND(
                LARGEST, for (long k = 0; k < LARGEST; k++) {
                    long at = k * 7919 % LARGEST; /* a prime that does not divide it */
                    buffer[at] = byte_of(i, at);
                });
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}

PROMISE(pages_several_arrays_written_in_turn_arrive) {
    enum { ARRAYS = 3 };
    unsigned char *each[ARRAYS];
    for (int a = 0; a < ARRAYS; a++) each[a] = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++)
        if (rank == 0) {
            MPI_Request request[ARRAYS];
            for (int a = 0; a < ARRAYS; a++)
                MPIX_Delta_send_begin(each[a], LARGEST, MPI_BYTE, 1, a, MPI_COMM_WORLD, &request[a]);
            for (int at = 0; at < LARGEST; at++)
                for (int a = 0; a < ARRAYS; a++) each[a][at] = byte_of(i * ARRAYS + a, at);
            for (int a = 0; a < ARRAYS; a++) MPIX_Delta_send_end(&request[a]);
            MPI_Waitall(ARRAYS, request, MPI_STATUSES_IGNORE);
            for (int a = 0; a < ARRAYS; a++) memset(each[a], 0xDD, LARGEST);
        } else if (rank == 1)
            for (int a = ARRAYS - 1; a >= 0; a--) {
                MPI_Recv(in, LARGEST, MPI_BYTE, 0, a, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK(holds(in, LARGEST, i * ARRAYS + a));
            }
    for (int a = 0; a < ARRAYS; a++) free(each[a]);
}

PROMISE(pages_an_array_on_the_stack_or_in_static_memory_arrives) {
    unsigned char here[100000];
    static unsigned char data[100000] = {1}, zeros[100000];
    unsigned char *each[] = {here, data, zeros};
    for (int i = 0; i < 3 * TIMES; i++) {
        unsigned char *buffer = each[i % 3];
        if (rank == 0) SEND(100000, fill(buffer, 100000, i));
        if (rank == 1) expect(100000, i);
    }
}

PROMISE(pages_a_part_that_is_received_into_an_open_send_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0)
            SEND(LARGEST, (fill(buffer, 150000, i), MPI_Recv(buffer + 150000, LARGEST - 150000, MPI_BYTE, 1, 2,
                                                             MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
        if (rank == 1) {
            fill(out, LARGEST, i);
            MPI_Send(out + 150000, LARGEST - 150000, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
            expect(LARGEST, i);
        }
    }
    free(buffer);
}

PROMISE(pages_a_send_that_ends_shorter_arrives) {
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES * 3; i++) {
        int bytes = i % 3 == 0 ? 0 : i % 3 == 1 ? 123456 : 200000;
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(buffer, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            fill(buffer, bytes, i);
            MPIX_Delta_send_end_count(bytes, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) expect(bytes, i);
    }
    free(buffer);
}

/* STRETTO_TESTS_TRIGGER: what the program asks for on a communicator of its own, on a copy of it, and on one that it tells later. */
PROMISE(an_info_key_says_who_says_what_is_final) {
    const char *word = getenv("STRETTO_TESTS_TRIGGER");
    unsigned char *buffer = own_pages(LARGEST);
    MPI_Comm comm[3];
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "stretto_trigger", word ? word : "auto");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[0]);
    MPI_Comm_dup(comm[0], &comm[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[2]);
    MPI_Comm_set_info(comm[2], info);
    MPI_Info_free(&info);
    for (int k = 0; k < 3; k++) {
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(buffer, LARGEST, MPI_BYTE, 1, 1, comm[k], &request);
            fill(buffer, LARGEST, k);
            MPIX_Delta_send_data(buffer, LARGEST);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPIX_Delta_recv(buffer, LARGEST, MPI_BYTE, 0, 1, comm[k], MPI_STATUS_IGNORE);
            CHECK(buffer[LARGEST - 1] == byte_of(k, LARGEST - 1) || !word || strcmp(word, "pages"));
            MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
            CHECK(holds(buffer, LARGEST, k));
        }
        MPI_Comm_free(&comm[k]);
    }
    free(buffer);
}

/* --- what is received --------------------------------------------------------------------------------------------- */

/* Sent piece by piece, so that the receiver is ahead of its message. */
static void send_slowly(int bytes, unsigned what) {
    static unsigned char *buffer;
    MPI_Request request;
    if (!buffer) buffer = own_pages(MANY);
    MPIX_Delta_send_begin(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    for (int at = 0; at < bytes; at++) {
        buffer[at] = byte_of(what, at);
        if (at % 60000 == 59999) usleep(2000);
    }
    MPIX_Delta_send_end(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_begins(void *buffer, int bytes) {
    MPIX_Delta_recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_ends(void *buffer, int bytes, unsigned what) {
    MPI_Status status;
    MPIX_Delta_recv_end(buffer, &status);
    CHECK(status_is(&status, 0, 1, bytes) && holds(buffer, bytes, what));
}

PROMISE(pages_what_is_touched_has_come_in_any_order) {
    unsigned char *buffer = own_pages(MANY);
    for (int how = 0; how < 4; how++) {
        if (rank == 0) send_slowly(MANY, how);
        if (rank == 1) {
            receive_begins(buffer, MANY);
            int good = 1;
            for (long k = 0; k < MANY; k++) {
                long at = how == 0 ? k : how == 1 ? MANY - 1 - k : how == 2 ? k * 7919 % MANY : k ^ 0x3000;
                good &= buffer[at] == byte_of(how, at);
            }
            CHECK(good);
            receive_ends(buffer, MANY, how);
        }
    }
    free(buffer);
}

PROMISE(pages_what_lies_around_and_behind_a_message_stays) {
    enum { AT = 3000, ROOM = 900000, BYTES = (123 << 12) - AT }; /* ends with a page, so that it is guarded */
    unsigned char *memory = own_pages(MANY);
    if (rank == 0) send_slowly(BYTES, 1);
    if (rank == 1) {
        MPIX_Delta_recv(memory + AT, ROOM, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memory[AT - 1] = memory[AT + ROOM] = 7;
        CHECK(memory[AT + 400000] == byte_of(1, 400000));
        receive_ends(memory + AT, BYTES, 1);
        CHECK(all_are(memory, AT - 1, 0xEE) && all_are(memory + AT + BYTES, ROOM - BYTES, 0xEE));
        CHECK(memory[AT - 1] == 7 && memory[AT + ROOM] == 7);
    }
    free(memory);
}

PROMISE(pages_a_message_that_ends_shorter_leaves_the_rest_as_it_was) {
    unsigned char *buffer = own_pages(MANY);
    for (int i = 0; i < 5; i++) {
        const int bytes = i == 0 ? 0 : i == 1 ? 5000 : i == 2 ? 65536 : i == 3 ? 1 << 18 : 123457;
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(out, 1 << 18, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            fill(out, bytes, i);
            MPIX_Delta_send_end_count(bytes, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            memset(buffer, 0xEE, MANY);
            receive_begins(buffer, 1 << 18);
            receive_ends(buffer, bytes, i);
            int used = bytes > 4032 ? bytes : 4032; /* a first fragment's */
            CHECK(all_are(buffer + used, MANY - used, 0xEE));
        }
    }
    free(buffer);
}

PROMISE(pages_neighbours_on_one_page_are_received_at_once) {
    enum { EACH = 100000, NUMBER = 5 };
    unsigned char *memory = own_pages(NUMBER * EACH);
    if (rank == 0)
        for (int k = 0; k < NUMBER; k++) send_slowly(EACH, k);
    if (rank == 1) {
        for (int k = 0; k < NUMBER; k++) {
            receive_begins(memory + k * EACH, EACH);
            CHECK(memory[(k + 1) * EACH - 1] == byte_of(k, EACH - 1)); /* its end is on the next one's first page */
        }
        for (int k = NUMBER - 1; k >= 0; k--) CHECK(holds(memory + k * EACH, EACH, k));
        for (int k = 0; k < NUMBER; k++) receive_ends(memory + k * EACH, EACH, k);
    }
    free(memory);
}

PROMISE(pages_what_comes_is_sent_on_at_once) {
    unsigned char *buffer = own_pages(MANY);
    for (int how = 0; how < 7; how++) {
        if (rank == 0) {
            MPI_Request request;
            send_slowly(MANY, how);
            memset(in, 0, 200000);
            if (how >= 5) {
                int sum = 1;
                MPI_Recv(&sum, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Irecv(in, 200000, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                CHECK(holds(in, 100, how) || how); /* from its begin */
                for (int at = 0; at < 200000; at++)
                    if (in[at] != byte_of(how, 700000 + at)) {
                        CHECK(how == 0 && holds(in, 200000, how));
                        break;
                    }
            }
        }
        if (rank == 1) {
            unsigned char *part = how ? buffer + 700000 : buffer;
            MPI_Request request;
            receive_begins(buffer, MANY);
            if (how < 2) MPI_Send(part, 200000, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
            if (how == 2) MPI_Ssend(part, 200000, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
            if (how == 3) {
                MPI_Isend(part, 200000, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            if (how == 4) {
                MPI_Send_init(part, 200000, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
            }
            if (how == 5) {
                int packed[2] = {0}, position = 0;
                MPI_Pack(buffer + 900000, 4, MPI_BYTE, packed, sizeof packed, &position, MPI_COMM_WORLD);
                CHECK(holds(buffer, MANY, how));
                MPI_Send(&position, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
            }
            if (how == 6) {
                unsigned char sum[4] = {0};
                MPI_Reduce_local(buffer + 900000, sum, 4, MPI_BYTE, MPI_BOR);
                CHECK(memcmp(sum, buffer + 900000, 4) == 0);
                MPI_Reduce_local(sum, buffer + 800000, 4, MPI_BYTE, MPI_BAND);
                for (int at = 0; at < 4; at++) {
                    const unsigned char its = byte_of(how, 800000 + at);
                    CHECK(buffer[800000 + at] == (sum[at] & its));
                    buffer[800000 + at] = its;
                }
                MPI_Send(&how, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
            }
            receive_ends(buffer, MANY, how);
        }
    }
    free(buffer);
}

/* Where messages are framed for certain: else what is received is not guarded, and its call waits for all of it. */
PROMISE(pages_a_local_reduction_waits_only_for_what_it_uses) {
    if (!getenv("STRETTO_TESTS_PIPELINE")) return;
    unsigned char *buffer = own_pages(MANY);
    for (int i = 0; i < 5; i++) {
        int one = 1, word[2] = {1, i};
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(buffer, MANY, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            fill(buffer, MANY / 2, i);
            MPI_Recv(word, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(word[0] == 2 && word[1] == i + 1);
            for (int at = MANY / 2; at < MANY; at++) buffer[at] = byte_of(i, at);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            receive_begins(buffer, MANY);
            MPI_Reduce_local(&one, &word[0], 1, MPI_INT, MPI_SUM);
            MPI_Reduce_local(&one, &word[1], 1, MPI_INT, MPI_SUM);
            MPI_Send(word, 2, MPI_INT, 0, 3, MPI_COMM_WORLD);
            receive_ends(buffer, MANY, i);
        }
    }
    free(buffer);
}

/* A delta send whose bytes nobody touches while they come. */
PROMISE(pages_what_comes_is_sent_on_untouched) {
    unsigned char *buffer = own_pages(MANY);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) {
            send_slowly(MANY, i);
            MPI_Recv(buffer, MANY, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(holds(buffer, MANY, i));
        }
        if (rank == 1) {
            MPI_Request request;
            receive_begins(buffer, MANY);
            MPIX_Delta_send_begin(buffer, MANY, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            receive_ends(buffer, MANY, i);
        }
    }
    free(buffer);
}

/* The cascade of the paper: what comes is added to in place, and is sent on while more comes. */
PROMISE(pages_what_comes_is_added_to_and_sent_on_in_place) {
    unsigned char *buffer = own_pages(MANY);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) {
            send_slowly(MANY, i);
            MPI_Recv(buffer, MANY, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            int good = 1;
            for (int at = 0; at < MANY; at++) good &= buffer[at] == (unsigned char)(byte_of(i, at) + 1);
            CHECK(good);
        }
        if (rank == 1) {
            MPI_Request request;
            if (i % 2) MPIX_Delta_send_begin(buffer, MANY, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
            receive_begins(buffer, MANY);
            if (i % 2 == 0) MPIX_Delta_send_begin(buffer, MANY, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
            for (int at = 0; at < MANY; at++) buffer[at]++;
            MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    free(buffer);
}

PROMISE(pages_what_comes_is_received_over) {
    unsigned char *buffer = own_pages(MANY);
    if (rank == 0) {
        send_slowly(MANY, 1);
        fill(out, LARGEST, 2);
        MPI_Send(out, LARGEST, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        receive_begins(buffer, MANY);
        MPI_Recv(buffer + 500000, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(buffer + 500000, LARGEST, 2));
        CHECK(holds(buffer, 500000, 1));
        MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
        CHECK(holds(buffer + 500000, LARGEST, 2));
    }
    free(buffer);
}

PROMISE(pages_collectives_and_files_use_what_comes) {
    unsigned char *buffer = own_pages(MANY), *all = own_pages(MANY);
    for (int how = 0; how < 3; how++) {
        if (rank == 0) send_slowly(MANY, how);
        if (rank == 1) receive_begins(buffer, MANY);
        if (rank != 1) fill(buffer, MANY, how);
        if (how == 0) {
            MPI_Bcast(buffer, MANY, MPI_BYTE, 1, MPI_COMM_WORLD);
            CHECK(holds(buffer, MANY, how));
        } else if (how == 1) {
            MPI_Allreduce(buffer, all, MANY, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
            CHECK(holds(all, MANY, how));
        } else if (rank == 1) {
            char name[] = "/tmp/stretto-pages-XXXXXX";
            int there = mkstemp(name);
            MPI_File file;
            CHECK(there >= 0);
            close(there);
            MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
            MPI_File_write_at(file, 0, buffer, MANY, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_read_at(file, 0, all, MANY, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close(&file);
            CHECK(holds(all, MANY, how));
        }
        if (rank == 1) receive_ends(buffer, MANY, how);
    }
    free(buffer);
    free(all);
}

/* --- what goes past MPI --------------------------------------------------------------------------------------------- */

static int empty_file(void) {
    char name[] = "/tmp/stretto-pages-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0);
    unlink(name);
    return file;
}

enum { PIECE = 20000, AT = 700000, WAYS = 5 };

/* Let the kernel read bytes of a buffer, in every way; what it has read is in `seen`. */
static void let_kernel_read(int way, const unsigned char *bytes, unsigned char *seen) {
    struct iovec piece = {(void *)bytes, PIECE};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    int file = empty_file(), pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    if (way == 0) CHECK(write(file, bytes, PIECE) == PIECE);
    if (way == 1) CHECK(pwrite(file, bytes, PIECE, 0) == PIECE);
    if (way == 2) CHECK(writev(file, &piece, 1) == PIECE);
    if (way == 3) CHECK(send(pair[0], bytes, PIECE, 0) == PIECE && sendmsg(pair[0], &message, 0) == PIECE);
    if (way == 4) {
        FILE *stream = fdopen(dup(file), "w");
        CHECK(fwrite(bytes, 1, PIECE, stream) == PIECE);
        fclose(stream);
    }
    if (way == 3)
        CHECK(recv(pair[1], seen, PIECE, MSG_WAITALL) == PIECE);
    else
        CHECK(pread(file, seen, PIECE, 0) == PIECE);
    close(file), close(pair[0]), close(pair[1]);
}

/* Let the kernel write them. */
static void let_kernel_write(int way, unsigned char *bytes, const unsigned char *what) {
    struct iovec piece = {bytes, PIECE};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    int file = empty_file(), pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    if (way == 3)
        CHECK(send(pair[0], what, PIECE, 0) == PIECE && recvmsg(pair[1], &message, MSG_WAITALL) == PIECE);
    else
        CHECK(pwrite(file, what, PIECE, 0) == PIECE);
    if (way == 0) CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, bytes, PIECE) == PIECE);
    if (way == 1) CHECK(pread(file, bytes, PIECE, 0) == PIECE);
    if (way == 2) CHECK(lseek(file, 0, SEEK_SET) == 0 && readv(file, &piece, 1) == PIECE);
    if (way == 4) {
        FILE *stream = fdopen(dup(file), "r");
        CHECK(fseek(stream, 0, SEEK_SET) == 0 && fread(bytes, 1, PIECE, stream) == PIECE);
        fclose(stream);
    }
    close(file), close(pair[0]), close(pair[1]);
}

PROMISE(pages_the_kernel_reads_what_comes) {
    unsigned char *buffer = own_pages(MANY), seen[PIECE];
    for (int way = 0; way < WAYS; way++) {
        if (rank == 0) send_slowly(MANY, way);
        if (rank == 1) {
            receive_begins(buffer, MANY);
            let_kernel_read(way, buffer + AT, seen);
            for (int at = 0; at < PIECE; at++)
                if (seen[at] != byte_of(way, AT + at)) {
                    CHECK(!"what the kernel has read");
                    break;
                }
            receive_ends(buffer, MANY, way);
        }
    }
    free(buffer);
}

PROMISE(pages_the_kernel_writes_over_what_comes) {
    unsigned char *buffer = own_pages(MANY), what[PIECE];
    for (int way = 0; way < WAYS; way++) {
        if (rank == 0) send_slowly(MANY, way);
        if (rank == 1) {
            receive_begins(buffer, MANY);
            memset(what, 7 + way, PIECE);
            let_kernel_write(way, buffer + AT, what);
            MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
            CHECK(holds(buffer, AT, way) && all_are(buffer + AT, PIECE, 7 + way));
        }
    }
    free(buffer);
}

PROMISE(pages_the_kernel_writes_into_an_open_send) {
    unsigned char *buffer = own_pages(LARGEST), what[PIECE];
    for (int i = 0; i < WAYS * TIMES; i++) {
        const int way = i / TIMES;
        if (rank == 0) {
            MPI_Request request;
            fill(out, LARGEST, i);
            memcpy(what, out + 200000, PIECE);
            MPIX_Delta_send_begin(buffer, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            memcpy(buffer, out, 200000);
            let_kernel_write(way, buffer + 200000, what);
            memcpy(buffer + 200000 + PIECE, out + 200000 + PIECE, LARGEST - 200000 - PIECE);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            memset(buffer, 0xDD, LARGEST);
        }
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}

PROMISE(pages_what_comes_is_moved) {
    if (rank == 0) send_slowly(MANY, 1);
    if (rank == 1) {
        unsigned char *buffer = own_pages(MANY), *moved;
        receive_begins(buffer, MANY);
        moved = realloc(buffer, 2 * MANY);
        CHECK(moved && holds(moved, MANY, 1));
        MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
        free(moved);
    }
}

PROMISE(pages_what_comes_is_unmapped) {
    if (rank == 0) send_slowly(MANY, 1);
    if (rank == 1) {
        void *buffer = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        receive_begins(buffer, MANY);
        CHECK(munmap(buffer, MANY) == 0); /* it has come before */
        MPIX_Delta_recv_end(buffer, MPI_STATUS_IGNORE);
    }
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct Part {
    const unsigned char *buffer;
    long from, to;
    unsigned what;
    int good;
};

static void *look(void *its_part) {
    struct Part *part = its_part;
    part->good = 1;
    for (long at = part->from; at < part->to; at++) part->good &= part->buffer[at] == byte_of(part->what, at);
    return NULL;
}

/* Threads that make no call of MPI: no level is needed for them beyond MPI_THREAD_FUNNELED. */
PROMISE(pages_are_touched_by_several_threads) {
    enum { THREADS = 3 };
    unsigned char *buffer = own_pages(MANY);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) send_slowly(MANY, i);
        if (rank == 1) {
            pthread_t thread[THREADS];
            struct Part part[THREADS];
            receive_begins(buffer, MANY);
            for (int t = 0; t < THREADS; t++) {
                part[t] = (struct Part){buffer, (long)MANY * t / THREADS, (long)MANY * (t + 1) / THREADS, i, 0};
                pthread_create(&thread[t], NULL, look, &part[t]);
            }
            for (int k = 0; k < 100; k++) { /* the main thread calls MPI meanwhile */
                int flag, size;
                MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                MPI_Comm_size(MPI_COMM_WORLD, &size);
                usleep(100);
            }
            for (int t = 0; t < THREADS; t++) {
                pthread_join(thread[t], NULL);
                CHECK(part[t].good);
            }
            receive_ends(buffer, MANY, i);
        }
    }
    free(buffer);
}

static void *write_part(void *its_part) {
    struct Part *part = its_part;
    for (long at = part->from; at < part->to; at++) ((unsigned char *)part->buffer)[at] = byte_of(part->what, at);
    return NULL;
}

PROMISE(pages_are_written_by_several_threads) {
    enum { THREADS = 3 };
    unsigned char *buffer = own_pages(LARGEST);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 0) {
            pthread_t thread[THREADS];
            struct Part part[THREADS];
            MPI_Request request;
            MPIX_Delta_send_begin(buffer, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            for (int t = 0; t < THREADS; t++) {
                part[t] = (struct Part){buffer, (long)LARGEST * t / THREADS, (long)LARGEST * (t + 1) / THREADS, i, 0};
                pthread_create(&thread[t], NULL, write_part, &part[t]);
            }
            for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            memset(buffer, 0, LARGEST);
        }
        if (rank == 1) expect(LARGEST, i);
    }
    free(buffer);
}
