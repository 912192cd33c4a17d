/* What the standard promises of partitioned messages (MPI 4.1, chapter 4), a function each: `promises [NAME ...]`, all without a name. */
#include <stretto/stretto.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, threads;
static const char *promise;
/* Are messages of 20000 bytes taken apart here? Then half of one comes while the other half is not there. */
static int apart;

#define CHECK(what) ((what) ? (void)0 : wrong(__LINE__, #what))

static void wrong(int line, const char *what) {
    printf("rank %d: %s: line %d: not %s\n", rank, promise, line, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char byte_of(int seed, size_t k) {
    return (unsigned char)(k * 7 + k / 251 + (size_t)seed * 13 + 1);
}
static void fill(unsigned char *to, size_t from, size_t n, int seed) {
    for (size_t k = from; k < from + n; k++) to[k] = byte_of(seed, k);
}
static int holds(const unsigned char *in, size_t from, size_t n, int seed) {
    for (size_t k = from; k < from + n; k++)
        if (in[k] != byte_of(seed, k)) return 0;
    return 1;
}

static void tell(int to) {
    MPI_Send(NULL, 0, MPI_BYTE, to, 99, MPI_COMM_WORLD);
}
static void hear(int from) {
    MPI_Recv(NULL, 0, MPI_BYTE, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request psend(const void *buf, int partitions, size_t bytes, int to, int tag) {
    MPI_Request request;
    MPI_Psend_init(buf, partitions, (MPI_Count)bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    return request;
}
static MPI_Request precv(void *buf, int partitions, size_t bytes, int from, int tag) {
    MPI_Request request;
    MPI_Precv_init(buf, partitions, (MPI_Count)bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    return request;
}

static int status_is(const MPI_Status *status, int source, int tag, size_t bytes) {
    int n = -1;
    MPI_Get_count(status, MPI_BYTE, &n);
    return status->MPI_SOURCE == source && status->MPI_TAG == tag && n == (int)bytes;
}

enum { LARGEST = 1 << 20 };
static _Alignas(4096) unsigned char out[LARGEST], in[LARGEST];

/* In every order that the turn says. */
static int nth(int turn, int k, int partitions) {
    switch (turn % 3) {
    case 0:
        return k;
    case 1:
        return partitions - 1 - k;
    }
    int step = partitions > 2 ? partitions / 2 : 1; /* until it has no divisor in common */
    for (int a = partitions, b = step; b;) {
        int rest = a % b;
        a = b, b = rest;
        if (!b && a != 1) step++, a = partitions, b = step;
    }
    return (int)((long)k * step % partitions);
}

static void whatever_the_order_and_the_number(void) {
    const int all[] = {1, 2, 7, 64, 1000};
    const size_t sizes[] = {0, 1, 96, 1000, 4032, 20000, 65536, 300000};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        for (int j = 0; j < (int)(sizeof sizes / sizeof *sizes); j++) {
            const int partitions = all[i];
            const size_t each = sizes[j] / (size_t)partitions, bytes = each * (size_t)partitions;
            MPI_Status status;
            if (rank == 0) {
                MPI_Request request = psend(out, partitions, each, 1, 5);
                for (int turn = 0; turn < 4; turn++) {
                    MPI_Start(&request);
                    for (int k = 0; k < partitions; k++) {
                        const int one = nth(turn, k, partitions);
                        fill(out, (size_t)one * each, each, turn);
                        MPI_Pready(one, request);
                    }
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    CHECK(request != MPI_REQUEST_NULL);
                }
                MPI_Request_free(&request);
                CHECK(request == MPI_REQUEST_NULL);
            }
            if (rank == 1) {
                MPI_Request request = precv(in, partitions, each, 0, 5);
                for (int turn = 0; turn < 4; turn++) {
                    memset(in, 0, bytes);
                    MPI_Start(&request);
                    for (int k = 0; k < partitions && turn % 2; k++)
                        for (int here = 0, one = nth(turn + 1, k, partitions); !here;) {
                            MPI_Parrived(request, one, &here);
                            if (here) CHECK(holds(in, (size_t)one * each, each, turn));
                        }
                    if (turn < 3)
                        MPI_Wait(&request, &status);
                    else
                        for (int done = 0; !done;) MPI_Test(&request, &done, &status);
                    CHECK(status_is(&status, 0, 5, bytes) && holds(in, 0, bytes, turn));
                    int here = 0;
                    MPI_Parrived(request, 0, &here); /* of one that is not active */
                    CHECK(here);
                }
                MPI_Request_free(&request);
            }
        }
}

static void both_sides_count_as_they_like(void) {
    const int sender[] = {1, 8, 12, 60}, receiver[] = {60, 3, 1, 20};
    for (int i = 0; i < 4; i++) {
        const size_t bytes = 60 * 1000;
        if (rank == 0) {
            MPI_Request request = psend(out, sender[i], bytes / (size_t)sender[i], 1, i);
            fill(out, 0, bytes, i);
            MPI_Start(&request);
            MPI_Pready_range(0, sender[i] - 1, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 1) {
            MPI_Request request = precv(in, receiver[i], bytes / (size_t)receiver[i], 0, i);
            memset(in, 0, bytes);
            MPI_Start(&request);
            for (int k = receiver[i] - 1; k >= 0; k--)
                for (int here = 0; !here;) MPI_Parrived(request, k, &here);
            CHECK(holds(in, 0, bytes, i));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
    }
}

/* Each waits for the other by MPI_Parrived alone: what has not left at MPI_Pready leaves there. */
static void both_ways_move_while_both_only_ask(void) {
    enum { PARTITIONS = 48, EACH = 2500 };
    if (rank > 1) return;
    MPI_Request both[2] = {psend(out, PARTITIONS, EACH, 1 - rank, 9), precv(in, PARTITIONS, EACH, 1 - rank, 9)};
    for (int turn = 0; turn < 10; turn++) {
        MPI_Startall(2, both);
        fill(out, 0, PARTITIONS * EACH, turn + rank);
        MPI_Pready_range(0, PARTITIONS - 1, both[0]);
        for (int k = 0; k < PARTITIONS; k++)
            for (int here = 0; !here;) MPI_Parrived(both[1], k, &here);
        CHECK(holds(in, 0, PARTITIONS * EACH, turn + 1 - rank));
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 2; k++) MPI_Request_free(&both[k]);
}

static void a_receive_may_be_larger_than_the_message(void) {
    enum { EACH = 25000, BYTES = 42000 }; /* the last of three parts stays empty */
    if (rank > 1) return;
    MPI_Status status;
    MPI_Request request = rank == 0 ? psend(out, 2, BYTES / 2, 1, 10) : precv(in, 3, EACH, 0, 10);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Start(&request);
        if (rank == 0) fill(out, 0, BYTES, turn);
        if (rank == 0) MPI_Pready_range(0, 1, request);
        for (int k = 2; k >= 0 && rank == 1; k--)
            for (int here = 0; !here;) MPI_Parrived(request, k, &here);
        if (rank == 1) CHECK(holds(in, 0, BYTES, turn));
        MPI_Wait(&request, &status);
        if (rank == 1) CHECK(status_is(&status, 0, 10, BYTES));
    }
    MPI_Request_free(&request);
}

static void lists_and_ranges_are_ready(void) {
    enum { PARTITIONS = 40, EACH = 1000 };
    if (rank == 0) {
        int odd[PARTITIONS / 4];
        for (int k = 0; k < PARTITIONS / 4; k++) odd[k] = PARTITIONS / 2 + 2 * k + 1;
        MPI_Request request = psend(out, PARTITIONS, EACH, 1, 1);
        fill(out, 0, PARTITIONS * EACH, 3);
        MPI_Start(&request);
        MPI_Pready_list(PARTITIONS / 4, odd, request);
        MPI_Pready_range(0, PARTITIONS / 2 - 1, request);
        for (int k = PARTITIONS - 2; k >= PARTITIONS / 2; k -= 2) MPI_Pready(k, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        MPI_Request request = precv(in, PARTITIONS, EACH, 0, 1);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(holds(in, 0, PARTITIONS * EACH, 3));
        MPI_Request_free(&request);
    }
}

static void elements_of_any_type(void) {
    enum { PARTITIONS = 10, COUNT = 300 };
    MPI_Datatype pairs; /* two ints of three */
    MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Datatype spaced;
    MPI_Type_create_resized(pairs, 0, 4 * sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    MPI_Type_free(&pairs);
    int *ints = (int *)(void *)(rank == 0 ? out : in);
    const int n = PARTITIONS * COUNT * 4;
    MPI_Request request;
    for (int k = 0; k < n; k++) ints[k] = rank == 0 ? k : -1;
    if (rank == 0) MPI_Psend_init(ints, PARTITIONS, COUNT, spaced, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1) MPI_Precv_init(ints, PARTITIONS, COUNT, spaced, 0, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Type_free(&spaced); /* the operation keeps it */
    for (int turn = 0; turn < 2 && rank < 2; turn++) {
        MPI_Start(&request);
        if (rank == 0)
            for (int k = PARTITIONS - 1; k >= 0; k--) MPI_Pready(k, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank < 2) MPI_Request_free(&request);
    for (int k = 0; k < n && rank == 1; k++) CHECK(ints[k] == (k % 2 ? -1 : k));
}

static void they_meet_in_the_order_of_their_initializations(void) {
    enum { EACH = 10000, ALL = 4 };
    MPI_Request request[ALL];
    if (rank > 1) return;
    for (int k = 0; k < ALL; k++)
        request[k] = rank == 0 ? psend(out + k * 2 * EACH, 2, EACH, 1, 7) : precv(in + k * 2 * EACH, 2, EACH, 0, 7);
    for (int turn = 0; turn < 3; turn++) {
        if (rank == 0) fill(out, 0, ALL * 2 * EACH, turn);
        for (int k = 0; k < ALL; k++) MPI_Start(&request[rank == 0 ? ALL - 1 - k : (k + 1) % ALL]);
        for (int k = 0; k < 2 * ALL && rank == 0; k++) MPI_Pready(k % 2, request[k / 2]);
        MPI_Waitall(ALL, request, MPI_STATUSES_IGNORE);
        if (rank == 1) CHECK(holds(in, 0, ALL * 2 * EACH, turn));
        if (rank == 0)
            hear(1);
        else
            tell(0);
    }
    for (int k = 0; k < ALL; k++) MPI_Request_free(&request[k]);
}

static void nothing_else_meets_them(void) {
    enum { BYTES = 50000 };
    static unsigned char plain[BYTES];
    MPI_Request request, other;
    MPI_Status status;
    if (rank == 0) {
        request = psend(out, 5, BYTES / 5, 1, 3);
        fill(out, 0, BYTES, 1);
        MPI_Start(&request);
        MPI_Pready_range(0, 4, request);
        hear(1);
        fill(plain, 0, BYTES, 2);
        MPI_Send(plain, BYTES, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        int some = 0;
        MPI_Irecv(plain, BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &other);
        tell(0);
        request = precv(in, 5, BYTES / 5, 0, 3);
        MPI_Start(&request);
        MPI_Wait(&other, &status);
        CHECK(status_is(&status, 0, 3, BYTES) && holds(plain, 0, BYTES, 2));
        MPI_Wait(&request, &status);
        CHECK(status_is(&status, 0, 3, BYTES) && holds(in, 0, BYTES, 1));
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &some, MPI_STATUS_IGNORE);
        CHECK(!some);
        MPI_Request_free(&request);
    }
}

static void what_is_ready_comes_before_the_rest_is(void) {
    enum { PARTITIONS = 8, EACH = 20000 };
    if (!apart) return;
    if (rank == 0) {
        MPI_Request request = psend(out, PARTITIONS, EACH, 1, 4);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            for (int k = 0; k < PARTITIONS; k++) {
                fill(out, (size_t)k * EACH, EACH, turn);
                MPI_Pready(k, request);
                if (k == PARTITIONS / 2) hear(1); /* which says it has half */
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        MPI_Request request = precv(in, PARTITIONS, EACH, 0, 4);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            int here = 0;
            for (int k = 0; k < PARTITIONS / 2; k++)
                for (here = 0; !here;) MPI_Parrived(request, k, &here);
            CHECK(holds(in, 0, PARTITIONS / 2 * EACH, turn));
            MPI_Parrived(request, PARTITIONS - 1, &here);
            CHECK(!here);
            tell(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(holds(in, 0, PARTITIONS * EACH, turn));
        }
        MPI_Request_free(&request);
    }
}

static void either_side_may_be_first(void) {
    enum { BYTES = 200000 };
    MPI_Request request;
    for (int late = 0; late < 2; late++) {
        if (rank == 0) {
            if (late == 0) hear(1); /* the receiver has started */
            request = psend(out, 10, BYTES / 10, 1, 6);
            fill(out, 0, BYTES, late);
            MPI_Start(&request);
            MPI_Pready_range(0, 9, request);
            if (late == 1) tell(1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 1) {
            if (late == 1) hear(0);
            request = precv(in, 10, BYTES / 10, 0, 6);
            MPI_Start(&request);
            if (late == 0) tell(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(holds(in, 0, BYTES, late));
            MPI_Request_free(&request);
        }
    }
}

static void they_come_while_the_program_is_in_another_call(void) {
    enum { BYTES = 500000 };
    MPI_Request request;
    for (int turn = 0; turn < 2; turn++) {
        if (rank == 0) {
            request = psend(out, 10, BYTES / 10, 1, 6);
            fill(out, 0, BYTES, turn);
            MPI_Start(&request);
            MPI_Pready_range(0, 9, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            tell(1);
        }
        if (rank == 1) {
            request = precv(in, 10, BYTES / 10, 0, 6);
            MPI_Start(&request);
            hear(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(holds(in, 0, BYTES, turn));
        }
        if (rank < 2) MPI_Request_free(&request);
    }
}

static void rings_of_all_ranks_turn(void) {
    enum { PARTITIONS = 16, EACH = 5000 };
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request both[2] = {precv(in, PARTITIONS, EACH, left, 1), psend(out, PARTITIONS, EACH, right, 1)};
    for (int turn = 0; turn < 10; turn++) {
        MPI_Startall(2, both);
        for (int k = 0; k < PARTITIONS; k++) {
            fill(out, (size_t)k * EACH, EACH, rank + turn);
            MPI_Pready(k, both[1]);
        }
        if (turn % 2)
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        else
            for (int left_over = 2, one = 0; left_over; left_over--) MPI_Waitany(2, both, &one, MPI_STATUS_IGNORE);
        CHECK(holds(in, 0, PARTITIONS * EACH, left + turn));
    }
    for (int k = 0; k < 2; k++) MPI_Request_free(&both[k]);
}

static void all_completions_take_them(void) {
    enum { BYTES = 40000 };
    MPI_Request request[3];
    MPI_Status status[3];
    if (rank > 1) return;
    for (int turn = 0; turn < 4; turn++) {
        int done = 0, which[3], n;
        request[0] = rank == 0 ? psend(out, 4, BYTES / 4, 1, 1) : precv(in, 4, BYTES / 4, 0, 1);
        MPI_Start(&request[0]);
        request[1] = MPI_REQUEST_NULL;
        if (rank == 0) {
            fill(out, 0, BYTES, turn);
            MPI_Pready_range(0, 3, request[0]);
            MPI_Isend(out, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[2]);
        } else
            MPI_Irecv(in + BYTES, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request[2]);
        if (turn == 0)
            while (!done) MPI_Testall(3, request, &done, status);
        if (turn == 1)
            for (int left = 2; left; left -= n) MPI_Waitsome(3, request, &n, which, status);
        if (turn == 2)
            for (int left = 2, one; left; left -= done) MPI_Testany(3, request, &one, &done, status);
        if (turn == 3) {
            while (!done) MPI_Request_get_status(request[0], &done, status);
            if (rank == 1) CHECK(status_is(status, 0, 1, BYTES));
            MPI_Waitall(3, request, status);
            if (rank == 1) CHECK(status_is(status, 0, 1, BYTES));
        }
        if (rank == 1) CHECK(holds(in, 0, BYTES, turn) && holds(in + BYTES, 0, 0, turn));
        MPI_Request_free(&request[0]);
    }
}

static void each_communicator_has_its_own(void) {
    enum { BYTES = 30000 };
    MPI_Comm twin, reversed, mine[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    mine[0] = MPI_COMM_WORLD, mine[1] = twin, mine[2] = reversed;
    MPI_Request sends[3], receives[3];
    for (int k = 0; k < 3; k++) { /* world rank 0 to the last one */
        int from = k == 2 ? ranks - 1 : 0, to = k == 2 ? 0 : ranks - 1;
        if (rank == ranks - 1)
            MPI_Precv_init(in + k * BYTES, 3, BYTES / 3, MPI_BYTE, from, 1, mine[k], MPI_INFO_NULL, &receives[k]);
        if (rank == 0)
            MPI_Psend_init(out + k * BYTES, 3, BYTES / 3, MPI_BYTE, to, 1, mine[k], MPI_INFO_NULL, &sends[k]);
    }
    if (rank == 0) {
        fill(out, 0, 3 * BYTES, 8);
        const int in_order[] = {1, 0, 2};
        for (int k = 0; k < 3; k++) {
            MPI_Start(&sends[in_order[k]]);
            MPI_Pready_range(0, 2, sends[in_order[k]]);
        }
        MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    }
    if (rank == ranks - 1) {
        MPI_Status status[3];
        MPI_Startall(3, receives);
        MPI_Waitall(3, receives, status);
        CHECK(holds(in, 0, 3 * BYTES, 8));
        CHECK(status[2].MPI_SOURCE == ranks - 1);
    }
    for (int k = 0; k < 3; k++) {
        if (rank == 0) MPI_Request_free(&sends[k]);
        if (rank == ranks - 1) MPI_Request_free(&receives[k]);
    }
    MPI_Comm_free(&twin);
    MPI_Comm_free(&reversed);
}

static void a_rank_sends_to_itself(void) {
    enum { BYTES = 100000 };
    MPI_Comm all[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    for (int k = 0; k < 2; k++) {
        const int self = k ? 0 : rank;
        MPI_Request both[2];
        MPI_Psend_init(out, 10, BYTES / 10, MPI_BYTE, self, 1, all[k], MPI_INFO_NULL, &both[0]);
        MPI_Precv_init(in, 10, BYTES / 10, MPI_BYTE, self, 1, all[k], MPI_INFO_NULL, &both[1]);
        for (int turn = 0; turn < 2; turn++) {
            fill(out, 0, BYTES, turn + k);
            MPI_Startall(2, both);
            MPI_Pready_range(0, 9, both[0]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            CHECK(holds(in, 0, BYTES, turn + k));
        }
        for (int one = 0; one < 2; one++) MPI_Request_free(&both[one]);
    }
}

static void nobody_is_a_peer_too(void) {
    MPI_Request both[2] = {psend(out, 4, 10000, MPI_PROC_NULL, 1), precv(in, 4, 10000, MPI_PROC_NULL, 1)};
    MPI_Status status[2];
    int here = 0;
    MPI_Parrived(MPI_REQUEST_NULL, 0, &here);
    CHECK(here);
    MPI_Startall(2, both);
    here = 0;
    MPI_Parrived(both[1], 3, &here);
    CHECK(here);
    MPI_Pready_range(0, 3, both[0]);
    MPI_Waitall(2, both, status);
    MPI_Start(&both[0]);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE); /* there is nobody who would wait for what is not marked */
    CHECK(status[1].MPI_SOURCE == MPI_PROC_NULL && status[1].MPI_TAG == MPI_ANY_TAG);
    for (int k = 0; k < 2; k++) MPI_Request_free(&both[k]);
}

static void as_many_as_one_likes(void) {
    enum { ALL = 300, BYTES = 2000 };
    MPI_Request all[ALL];
    if (rank > 1) return;
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < ALL; k++)
            all[k] = rank == 0 ? psend(out + k * BYTES, 2, BYTES / 2, 1, k % 7)
                               : precv(in + k * BYTES, 2, BYTES / 2, 0, k % 7);
        MPI_Startall(ALL, all);
        if (rank == 0) {
            fill(out, 0, ALL * BYTES, turn);
            for (int k = 0; k < ALL; k++) MPI_Pready_range(0, 1, all[k]);
        }
        MPI_Waitall(ALL, all, MPI_STATUSES_IGNORE);
        if (rank == 1) CHECK(holds(in, 0, ALL * BYTES, turn));
        for (int k = 0; k < ALL; k++) MPI_Request_free(&all[k]);
    }
}

static void what_was_received_is_sent_on(void) {
    enum { PARTITIONS = 20, EACH = 10000 };
    MPI_Request from, to;
    if (rank > 0) from = precv(in, PARTITIONS, EACH, rank - 1, 1);
    if (rank < ranks - 1) to = psend(rank ? in : out, PARTITIONS, EACH, rank + 1, 1);
    for (int turn = 0; turn < 3; turn++) {
        if (rank > 0) MPI_Start(&from);
        if (rank < ranks - 1) MPI_Start(&to);
        for (int k = 0; k < PARTITIONS; k++) {
            if (rank == 0) fill(out, (size_t)k * EACH, EACH, turn);
            for (int here = rank == 0; !here;) MPI_Parrived(from, k, &here);
            if (rank < ranks - 1) MPI_Pready(k, to);
        }
        if (rank > 0) MPI_Wait(&from, MPI_STATUS_IGNORE);
        if (rank < ranks - 1) MPI_Wait(&to, MPI_STATUS_IGNORE);
        if (rank > 0) CHECK(holds(in, 0, PARTITIONS * EACH, turn));
    }
    if (rank > 0) MPI_Request_free(&from);
    if (rank < ranks - 1) MPI_Request_free(&to);
}

static void what_still_comes_may_be_sent_on(void) {
    enum { PARTITIONS = 10, EACH = 30000 };
    const int next = (rank + 1) % ranks;
    for (int turn = 0; turn < 3; turn++) {
        if (rank == 0) {
            fill(out, 0, PARTITIONS * EACH, turn);
            MPI_Send(out, PARTITIONS * EACH, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
            MPI_Request request = precv(in, 3, PARTITIONS * EACH / 3, ranks - 1, 6);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(holds(in, 0, PARTITIONS * EACH, turn));
            MPI_Request_free(&request);
        } else {
            MPI_Request request = psend(in, PARTITIONS, EACH, next, 6);
            if (rank == 1)
                MPI_Recv(in, PARTITIONS * EACH, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else {
                MPI_Request before = precv(in, PARTITIONS, EACH, rank - 1, 6);
                MPI_Start(&before);
                MPI_Wait(&before, MPI_STATUS_IGNORE);
                MPI_Request_free(&before);
            }
            MPI_Start(&request);
            MPI_Pready_range(0, PARTITIONS - 1, request); /* nothing of it was touched */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
    }
}

static void what_was_waited_for_is_right_when_it_is_read(void) {
    enum { PARTITIONS = 16, EACH = 20480 }; /* whole pages, which can be guarded */
    if (rank > 1) return;
    MPI_Request request = rank == 0 ? psend(out, PARTITIONS, EACH, 1, 8) : precv(in, 4, PARTITIONS * EACH / 4, 0, 8);
    for (int turn = 0; turn < 4; turn++) {
        MPI_Start(&request);
        for (int half = 0; half < 2 && rank == 0; half++) {
            fill(out, (size_t)half * PARTITIONS / 2 * EACH, PARTITIONS / 2 * EACH, turn);
            MPI_Pready_range(half * PARTITIONS / 2, (half + 1) * PARTITIONS / 2 - 1, request);
            if (!half) usleep(20000);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* which may return early */
        if (rank == 1) CHECK(holds(in, 0, PARTITIONS * EACH, turn));
    }
    MPI_Request_free(&request);
}

static void errors_are_told(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK(MPI_Psend_init(out, 4, 10, MPI_BYTE, ranks, 1, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
    CHECK(MPI_Psend_init(out, 4, 10, MPI_DATATYPE_NULL, 0, 1, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
    CHECK(MPI_Precv_init(in, 4, 10, MPI_BYTE, 0, -5, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static MPI_Request shared;
static pthread_barrier_t together;
enum { THREADS = 4, EACH_THREAD = 25, OF_THREADS = THREADS * EACH_THREAD, THREADS_BYTES = 3000 };
static int turn_of_threads;

static void *mark(void *which) {
    const int mine = *(int *)which;
    pthread_barrier_wait(&together);
    for (int k = 0; k < EACH_THREAD; k++) {
        const int one = k * THREADS + mine;
        fill(out, (size_t)one * THREADS_BYTES, THREADS_BYTES, turn_of_threads);
        MPI_Pready(one, shared);
    }
    return NULL;
}
static void *await(void *which) {
    const int mine = *(int *)which;
    for (int k = 0; k < EACH_THREAD; k++) {
        const int one = mine * EACH_THREAD + k;
        for (int here = 0; !here;) MPI_Parrived(shared, one, &here);
        CHECK(holds(in, (size_t)one * THREADS_BYTES, THREADS_BYTES, turn_of_threads));
    }
    return NULL;
}

static void threads_mark_and_ask(void) {
    pthread_t all[THREADS];
    int which[THREADS];
    if (!threads || rank > 1) return;
    pthread_barrier_init(&together, NULL, THREADS);
    shared = rank == 0 ? psend(out, OF_THREADS, THREADS_BYTES, 1, 1) : precv(in, OF_THREADS, THREADS_BYTES, 0, 1);
    for (turn_of_threads = 0; turn_of_threads < 10; turn_of_threads++) {
        MPI_Start(&shared);
        for (int k = 0; k < THREADS; k++) {
            which[k] = k;
            pthread_create(&all[k], NULL, rank == 0 ? mark : await, &which[k]);
        }
        if (turn_of_threads % 2) MPI_Wait(&shared, MPI_STATUS_IGNORE); /* while they mark */
        for (int k = 0; k < THREADS; k++) pthread_join(all[k], NULL);
        MPI_Wait(&shared, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&shared);
}

#define PROMISE(name) \
    { #name, name }
static const struct {
    const char *name;
    void (*keep)(void);
} promises[] = {
    PROMISE(whatever_the_order_and_the_number),
    PROMISE(both_sides_count_as_they_like),
    PROMISE(both_ways_move_while_both_only_ask),
    PROMISE(a_receive_may_be_larger_than_the_message),
    PROMISE(lists_and_ranges_are_ready),
    PROMISE(elements_of_any_type),
    PROMISE(they_meet_in_the_order_of_their_initializations),
    PROMISE(nothing_else_meets_them),
    PROMISE(what_is_ready_comes_before_the_rest_is),
    PROMISE(either_side_may_be_first),
    PROMISE(they_come_while_the_program_is_in_another_call),
    PROMISE(rings_of_all_ranks_turn),
    PROMISE(all_completions_take_them),
    PROMISE(each_communicator_has_its_own),
    PROMISE(a_rank_sends_to_itself),
    PROMISE(nobody_is_a_peer_too),
    PROMISE(as_many_as_one_likes),
    PROMISE(what_was_received_is_sent_on),
    PROMISE(what_still_comes_may_be_sent_on),
    PROMISE(what_was_waited_for_is_right_when_it_is_read),
    PROMISE(errors_are_told),
    PROMISE(threads_mark_and_ask),
};

int main(int argc, char **argv) {
    int level;
    threads = getenv("TEST_THREADS") != NULL;
    apart = getenv("TEST_APART") != NULL;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t k = 0; k < sizeof promises / sizeof *promises; k++) {
        int asked = argc < 2;
        for (int i = 1; i < argc; i++) asked = asked || !strcmp(argv[i], promises[k].name);
        if (!asked) continue;
        promise = promises[k].name;
        promises[k].keep();
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("kept: %s\n", promise), fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
