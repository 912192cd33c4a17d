/* What the standard promises of partitioned messages (MPI 4.1, chapter 4). Run by tests/mpi/promises.c. */
#include "../mpi/promise.h"
#include <pthread.h>
#include <stretto/stretto.h>
#include <unistd.h>

/* Are messages of 20000 bytes taken apart here? Then half of one comes while the other half is not there. */
static int are_taken_apart(void) {
    return getenv("TEST_APART") != NULL;
}

static void fill_part(unsigned char *to, size_t from, size_t n, int message) {
    for (size_t k = from; k < from + n; k++) to[k] = byte_of((unsigned)message, k);
}
static int part_holds(const unsigned char *buffer, size_t from, size_t n, int message) {
    for (size_t k = from; k < from + n; k++)
        if (buffer[k] != byte_of((unsigned)message, k)) return 0;
    return 1;
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

enum {
    ROOM = 1 << 20,
    TOLD = 40000
}; /* TOLD: a tag so large that the sender tells which one its messages have on the way */
static _Alignas(4096) unsigned char from_here[ROOM], to_here[ROOM];

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

PROMISE(whatever_the_order_and_the_number) {
    const int all[] = {1, 2, 7, 64, 1000};
    const size_t sizes[] = {0, 1, 96, 1000, 4032, 20000, 65536, 300000};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        for (int j = 0; j < (int)(sizeof sizes / sizeof *sizes); j++) {
            const int partitions = all[i];
            const size_t each = sizes[j] / (size_t)partitions, bytes = each * (size_t)partitions;
            MPI_Status status;
            if (rank == 0) {
                MPI_Request request = psend(from_here, partitions, each, 1, 5);
                for (int turn = 0; turn < 4; turn++) {
                    MPI_Start(&request);
                    for (int k = 0; k < partitions; k++) {
                        const int one = nth(turn, k, partitions);
                        fill_part(from_here, (size_t)one * each, each, turn);
                        MPI_Pready(one, request);
                    }
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    CHECK(request != MPI_REQUEST_NULL);
                }
                MPI_Request_free(&request);
                CHECK(request == MPI_REQUEST_NULL);
            }
            if (rank == 1) {
                MPI_Request request = precv(to_here, partitions, each, 0, 5);
                for (int turn = 0; turn < 4; turn++) {
                    memset(to_here, 0, bytes);
                    MPI_Start(&request);
                    for (int k = 0; k < partitions && turn % 2; k++)
                        for (int here = 0, one = nth(turn + 1, k, partitions); !here;) {
                            MPI_Parrived(request, one, &here);
                            if (here) CHECK(part_holds(to_here, (size_t)one * each, each, turn));
                        }
                    if (turn < 3)
                        MPI_Wait(&request, &status);
                    else
                        for (int done = 0; !done;) MPI_Test(&request, &done, &status);
                    CHECK(status_is(&status, 0, 5, bytes) && part_holds(to_here, 0, bytes, turn));
                    int here = 0;
                    MPI_Parrived(request, 0, &here); /* of one that is not active */
                    CHECK(here);
                }
                MPI_Request_free(&request);
            }
        }
}

PROMISE(both_sides_count_as_they_like) {
    const int sender[] = {1, 8, 12, 60}, receiver[] = {60, 3, 1, 20};
    for (int i = 0; i < 4; i++) {
        const size_t bytes = 60 * 1000;
        if (rank == 0) {
            MPI_Request request = psend(from_here, sender[i], bytes / (size_t)sender[i], 1, i);
            fill_part(from_here, 0, bytes, i);
            MPI_Start(&request);
            MPI_Pready_range(0, sender[i] - 1, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 1) {
            MPI_Request request = precv(to_here, receiver[i], bytes / (size_t)receiver[i], 0, i);
            memset(to_here, 0, bytes);
            MPI_Start(&request);
            for (int k = receiver[i] - 1; k >= 0; k--)
                for (int here = 0; !here;) MPI_Parrived(request, k, &here);
            CHECK(part_holds(to_here, 0, bytes, i));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
    }
}

/* Each waits for the other by MPI_Parrived alone: what has not left at MPI_Pready leaves there. */
PROMISE(both_ways_move_while_both_only_ask) {
    enum { PARTITIONS = 48, EACH = 2500 };
    if (rank > 1) return;
    for (int turn = 0; turn < 10; turn++) {
        const int tag = turn < 5 ? 9 : TOLD;
        static MPI_Request both[2];
        if (turn % 5 == 0) {
            both[0] = psend(from_here, PARTITIONS, EACH, 1 - rank, tag);
            both[1] = precv(to_here, PARTITIONS, EACH, 1 - rank, tag);
        }
        MPI_Startall(2, both);
        fill_part(from_here, 0, PARTITIONS * EACH, turn + rank);
        MPI_Pready_range(0, PARTITIONS - 1, both[0]);
        for (int k = 0; k < PARTITIONS; k++)
            for (int here = 0; !here;) MPI_Parrived(both[1], k, &here);
        CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn + 1 - rank));
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        if (turn % 5 == 4) MPI_Request_free(&both[0]), MPI_Request_free(&both[1]);
    }
}

PROMISE(a_receive_may_be_larger_than_the_message) {
    enum { EACH = 25000, BYTES = 42000 }; /* the last of three parts stays empty */
    if (rank > 1) return;
    MPI_Status status;
    MPI_Request request = rank == 0 ? psend(from_here, 2, BYTES / 2, 1, 10) : precv(to_here, 3, EACH, 0, 10);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Start(&request);
        if (rank == 0) fill_part(from_here, 0, BYTES, turn);
        if (rank == 0) MPI_Pready_range(0, 1, request);
        for (int k = 2; k >= 0 && rank == 1; k--)
            for (int here = 0; !here;) MPI_Parrived(request, k, &here);
        if (rank == 1) CHECK(part_holds(to_here, 0, BYTES, turn));
        MPI_Wait(&request, &status);
        if (rank == 1) CHECK(status_is(&status, 0, 10, BYTES));
    }
    MPI_Request_free(&request);
}

PROMISE(lists_and_ranges_are_ready) {
    enum { PARTITIONS = 40, EACH = 1000 };
    if (rank == 0) {
        int odd[PARTITIONS / 4];
        for (int k = 0; k < PARTITIONS / 4; k++) odd[k] = PARTITIONS / 2 + 2 * k + 1;
        MPI_Request request = psend(from_here, PARTITIONS, EACH, 1, 1);
        fill_part(from_here, 0, PARTITIONS * EACH, 3);
        MPI_Start(&request);
        MPI_Pready_list(PARTITIONS / 4, odd, request);
        MPI_Pready_range(0, PARTITIONS / 2 - 1, request);
        for (int k = PARTITIONS - 2; k >= PARTITIONS / 2; k -= 2) MPI_Pready(k, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        MPI_Request request = precv(to_here, PARTITIONS, EACH, 0, 1);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(part_holds(to_here, 0, PARTITIONS * EACH, 3));
        MPI_Request_free(&request);
    }
}

PROMISE(elements_of_any_type) {
    enum { PARTITIONS = 10, COUNT = 300 };
    MPI_Datatype pairs; /* two ints of three */
    MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Datatype spaced;
    MPI_Type_create_resized(pairs, 0, 4 * sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    MPI_Type_free(&pairs);
    int *ints = (int *)(void *)(rank == 0 ? from_here : to_here);
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

PROMISE(they_meet_in_the_order_of_their_initializations) {
    enum { EACH = 10000, ALL = 4 };
    MPI_Request request[ALL];
    if (rank > 1) return;
    for (int tag = 7; tag <= TOLD; tag += TOLD - 7) {
        for (int k = 0; k < ALL; k++)
            request[k] = rank == 0 ? psend(from_here + k * 2 * EACH, 2, EACH, 1, tag)
                                   : precv(to_here + k * 2 * EACH, 2, EACH, 0, tag);
        for (int turn = 0; turn < 3; turn++) {
            if (rank == 0) fill_part(from_here, 0, ALL * 2 * EACH, turn + tag);
            for (int k = 0; k < ALL; k++) MPI_Start(&request[rank == 0 ? ALL - 1 - k : (k + 1) % ALL]);
            for (int k = 0; k < 2 * ALL && rank == 0; k++) MPI_Pready(k % 2, request[k / 2]);
            MPI_Waitall(ALL, request, MPI_STATUSES_IGNORE);
            if (rank == 1) CHECK(part_holds(to_here, 0, ALL * 2 * EACH, turn + tag));
            if (rank == 0)
                hear(1);
            else
                tell(0);
        }
        for (int k = 0; k < ALL; k++) MPI_Request_free(&request[k]);
    }
}

PROMISE(nothing_else_meets_them) {
    enum { BYTES = 50000 };
    static unsigned char plain[BYTES];
    MPI_Request request, other;
    MPI_Status status;
    if (rank == 0) {
        request = psend(from_here, 5, BYTES / 5, 1, 3);
        fill_part(from_here, 0, BYTES, 1);
        MPI_Start(&request);
        MPI_Pready_range(0, 4, request);
        hear(1);
        fill_part(plain, 0, BYTES, 2);
        MPI_Send(plain, BYTES, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        int some = 0;
        MPI_Irecv(plain, BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &other);
        tell(0);
        request = precv(to_here, 5, BYTES / 5, 0, 3);
        MPI_Start(&request);
        MPI_Wait(&other, &status);
        CHECK(status_is(&status, 0, 3, BYTES) && part_holds(plain, 0, BYTES, 2));
        MPI_Wait(&request, &status);
        CHECK(status_is(&status, 0, 3, BYTES) && part_holds(to_here, 0, BYTES, 1));
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &some, MPI_STATUS_IGNORE);
        CHECK(!some);
        MPI_Request_free(&request);
    }
}

PROMISE(what_is_ready_comes_before_the_rest_is) {
    enum { PARTITIONS = 8, EACH = 20000 };
    if (!are_taken_apart()) return;
    if (rank == 0) {
        MPI_Request request = psend(from_here, PARTITIONS, EACH, 1, 4);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            for (int k = 0; k < PARTITIONS; k++) {
                fill_part(from_here, (size_t)k * EACH, EACH, turn);
                MPI_Pready(k, request);
                if (k == PARTITIONS / 2) hear(1); /* which says it has half */
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    if (rank == 1) {
        MPI_Request request = precv(to_here, PARTITIONS, EACH, 0, 4);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            int here = 0;
            for (int k = 0; k < PARTITIONS / 2; k++)
                for (here = 0; !here;) MPI_Parrived(request, k, &here);
            CHECK(part_holds(to_here, 0, PARTITIONS / 2 * EACH, turn));
            MPI_Parrived(request, PARTITIONS - 1, &here);
            CHECK(!here);
            tell(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn));
        }
        MPI_Request_free(&request);
    }
}

#ifndef STRETTO_PLAIN
/* MPIX_Parrived_any: of a message of which a half is ready, and the other half later. */
PROMISE(whichever_is_here_is_told_once) {
    enum { SENT = 8, PARTITIONS = 80, EACH = 2000, BYTES = PARTITIONS * EACH };
    if (rank > 1) return;
    int one, flag, told[PARTITIONS];
    MPI_Request request =
        rank == 0 ? psend(from_here, SENT, BYTES / SENT, 1, 8) : precv(to_here, PARTITIONS, EACH, 0, 8);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Start(&request);
        if (rank == 0) {
            fill_part(from_here, 0, BYTES, turn);
            for (int k = SENT - 1; k >= 0; k--) {
                MPI_Pready(k, request);
                if (k == SENT / 2 - 1) hear(1); /* which says it has half: the upper one */
            }
        } else {
            memset(told, 0, sizeof told);
            for (int n = 0; n < PARTITIONS; n++) {
                if (n == (are_taken_apart() ? PARTITIONS / 2 : 0)) tell(0);
                for (flag = 0; !flag;) MPIX_Parrived_any(request, &one, &flag);
                CHECK(one >= 0 && one < PARTITIONS && part_holds(to_here, (size_t)one * EACH, EACH, turn));
                if (one >= 0) CHECK(!told[one]++);
            }
            MPIX_Parrived_any(request, &one, &flag);
            CHECK(flag && one == MPI_UNDEFINED);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) MPIX_Parrived_any(request, &one, &flag); /* not active */
        if (rank == 1) CHECK(flag && one == MPI_UNDEFINED);
    }
    MPI_Request_free(&request);
    MPIX_Parrived_any(request, &one, &flag); /* null */
    CHECK(flag && one == MPI_UNDEFINED);
}
#endif

/* Its rank waits for others meanwhile, in a call of the library's. */
static void wait_elsewhere_for_a_send(int tag) {
    enum { BYTES = 400000 };
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) {
        request = precv(to_here, 8, BYTES / 8, 0, tag);
        MPI_Start(&request);
    }
    if (rank == 0) {
        usleep(20000);
        request = psend(from_here, 8, BYTES / 8, 1, tag);
        fill_part(from_here, 0, BYTES, 5);
        MPI_Start(&request);
        MPI_Pready_range(0, 7, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(part_holds(to_here, 0, BYTES, 5));
    }
    if (rank < 2) MPI_Request_free(&request);
}
PROMISE(a_receive_that_is_started_lets_its_send_end) {
    wait_elsewhere_for_a_send(11);
}
PROMISE(a_receive_that_is_told_of_its_send_lets_it_end) {
    wait_elsewhere_for_a_send(40000);
}

PROMISE(either_side_may_be_first) {
    enum { BYTES = 200000 };
    MPI_Request request;
    for (int late = 0; late < 2; late++) {
        if (rank == 0) {
            if (late == 0) hear(1); /* the receiver has started */
            request = psend(from_here, 10, BYTES / 10, 1, 6);
            fill_part(from_here, 0, BYTES, late);
            MPI_Start(&request);
            MPI_Pready_range(0, 9, request);
            if (late == 1) tell(1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 1) {
            if (late == 1) hear(0);
            request = precv(to_here, 10, BYTES / 10, 0, 6);
            MPI_Start(&request);
            if (late == 0) tell(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(part_holds(to_here, 0, BYTES, late));
            MPI_Request_free(&request);
        }
    }
}

PROMISE(they_come_while_the_program_is_in_another_call) {
    enum { BYTES = 500000 };
    MPI_Request request;
    for (int turn = 0; turn < 2; turn++) {
        if (rank == 0) {
            request = psend(from_here, 10, BYTES / 10, 1, turn ? TOLD : 6);
            fill_part(from_here, 0, BYTES, turn);
            MPI_Start(&request);
            MPI_Pready_range(0, 9, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            tell(1);
        }
        if (rank == 1) {
            request = precv(to_here, 10, BYTES / 10, 0, turn ? TOLD : 6);
            MPI_Start(&request);
            hear(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(part_holds(to_here, 0, BYTES, turn));
        }
        if (rank < 2) MPI_Request_free(&request);
    }
}

PROMISE(rings_of_all_ranks_turn) {
    enum { PARTITIONS = 16, EACH = 5000 };
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request both[2] = {precv(to_here, PARTITIONS, EACH, left, 1), psend(from_here, PARTITIONS, EACH, right, 1)};
    for (int turn = 0; turn < 10; turn++) {
        MPI_Startall(2, both);
        for (int k = 0; k < PARTITIONS; k++) {
            fill_part(from_here, (size_t)k * EACH, EACH, rank + turn);
            MPI_Pready(k, both[1]);
        }
        if (turn % 2)
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        else
            for (int left_over = 2, one = 0; left_over; left_over--) MPI_Waitany(2, both, &one, MPI_STATUS_IGNORE);
        CHECK(part_holds(to_here, 0, PARTITIONS * EACH, left + turn));
    }
    for (int k = 0; k < 2; k++) MPI_Request_free(&both[k]);
}

PROMISE(all_completions_take_them) {
    enum { BYTES = 40000 };
    MPI_Request request[3];
    MPI_Status status[3];
    if (rank > 1) return;
    for (int turn = 0; turn < 4; turn++) {
        int done = 0, which[3], n;
        request[0] = rank == 0 ? psend(from_here, 4, BYTES / 4, 1, 1) : precv(to_here, 4, BYTES / 4, 0, 1);
        MPI_Start(&request[0]);
        request[1] = MPI_REQUEST_NULL;
        if (rank == 0) {
            fill_part(from_here, 0, BYTES, turn);
            MPI_Pready_range(0, 3, request[0]);
            MPI_Isend(from_here, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[2]);
        } else
            MPI_Irecv(to_here + BYTES, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request[2]);
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
        if (rank == 1) CHECK(part_holds(to_here, 0, BYTES, turn) && part_holds(to_here + BYTES, 0, 0, turn));
        MPI_Request_free(&request[0]);
    }
}

PROMISE(each_communicator_has_its_own) {
    enum { BYTES = 30000 };
    MPI_Comm twin, reversed, mine[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    mine[0] = MPI_COMM_WORLD, mine[1] = twin, mine[2] = reversed;
    MPI_Request sends[3], receives[3];
    for (int k = 0; k < 3; k++) { /* world rank 0 to the last one */
        int from = k == 2 ? ranks - 1 : 0, to = k == 2 ? 0 : ranks - 1;
        if (rank == ranks - 1)
            MPI_Precv_init(to_here + k * BYTES, 3, BYTES / 3, MPI_BYTE, from, 1, mine[k], MPI_INFO_NULL, &receives[k]);
        if (rank == 0)
            MPI_Psend_init(from_here + k * BYTES, 3, BYTES / 3, MPI_BYTE, to, 1, mine[k], MPI_INFO_NULL, &sends[k]);
    }
    if (rank == 0) {
        fill_part(from_here, 0, 3 * BYTES, 8);
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
        CHECK(part_holds(to_here, 0, 3 * BYTES, 8));
        CHECK(status[2].MPI_SOURCE == ranks - 1);
    }
    for (int k = 0; k < 3; k++) {
        if (rank == 0) MPI_Request_free(&sends[k]);
        if (rank == ranks - 1) MPI_Request_free(&receives[k]);
    }
    MPI_Comm_free(&twin);
    MPI_Comm_free(&reversed);
}

PROMISE(a_rank_sends_to_itself) {
    enum { BYTES = 100000 };
    MPI_Comm all[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    for (int k = 0; k < 2; k++) {
        const int self = k ? 0 : rank;
        MPI_Request both[2];
        MPI_Psend_init(from_here, 10, BYTES / 10, MPI_BYTE, self, 1, all[k], MPI_INFO_NULL, &both[0]);
        MPI_Precv_init(to_here, 10, BYTES / 10, MPI_BYTE, self, 1, all[k], MPI_INFO_NULL, &both[1]);
        for (int turn = 0; turn < 2; turn++) {
            fill_part(from_here, 0, BYTES, turn + k);
            MPI_Startall(2, both);
            MPI_Pready_range(0, 9, both[0]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            CHECK(part_holds(to_here, 0, BYTES, turn + k));
        }
        for (int one = 0; one < 2; one++) MPI_Request_free(&both[one]);
    }
}

PROMISE(nobody_is_a_peer_too) {
    MPI_Request both[2] = {psend(from_here, 4, 10000, MPI_PROC_NULL, 1), precv(to_here, 4, 10000, MPI_PROC_NULL, 1)};
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

PROMISE(as_many_as_one_likes) {
    enum { ALL = 300, BYTES = 2000 };
    MPI_Request all[ALL];
    if (rank > 1) return;
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < ALL; k++)
            all[k] = rank == 0 ? psend(from_here + k * BYTES, 2, BYTES / 2, 1, k % 7)
                               : precv(to_here + k * BYTES, 2, BYTES / 2, 0, k % 7);
        MPI_Startall(ALL, all);
        if (rank == 0) {
            fill_part(from_here, 0, ALL * BYTES, turn);
            for (int k = 0; k < ALL; k++) MPI_Pready_range(0, 1, all[k]);
        }
        MPI_Waitall(ALL, all, MPI_STATUSES_IGNORE);
        if (rank == 1) CHECK(part_holds(to_here, 0, ALL * BYTES, turn));
        for (int k = 0; k < ALL; k++) MPI_Request_free(&all[k]);
    }
}

PROMISE(what_was_received_is_sent_on) {
    enum { PARTITIONS = 20, EACH = 10000 };
    MPI_Request from, to;
    if (rank > 0) from = precv(to_here, PARTITIONS, EACH, rank - 1, 1);
    if (rank < ranks - 1) to = psend(rank ? to_here : from_here, PARTITIONS, EACH, rank + 1, 1);
    for (int turn = 0; turn < 3; turn++) {
        if (rank > 0) MPI_Start(&from);
        if (rank < ranks - 1) MPI_Start(&to);
        for (int k = 0; k < PARTITIONS; k++) {
            if (rank == 0) fill_part(from_here, (size_t)k * EACH, EACH, turn);
            for (int here = rank == 0; !here;) MPI_Parrived(from, k, &here);
            if (rank < ranks - 1) MPI_Pready(k, to);
        }
        if (rank > 0) MPI_Wait(&from, MPI_STATUS_IGNORE);
        if (rank < ranks - 1) MPI_Wait(&to, MPI_STATUS_IGNORE);
        if (rank > 0) CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn));
    }
    if (rank > 0) MPI_Request_free(&from);
    if (rank < ranks - 1) MPI_Request_free(&to);
}

PROMISE(what_still_comes_may_be_sent_on) {
    enum { PARTITIONS = 10, EACH = 30000 };
    const int next = (rank + 1) % ranks;
    for (int turn = 0; turn < 3; turn++) {
        if (rank == 0) {
            fill_part(from_here, 0, PARTITIONS * EACH, turn);
            MPI_Send(from_here, PARTITIONS * EACH, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
            MPI_Request request = precv(to_here, 3, PARTITIONS * EACH / 3, ranks - 1, 6);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn));
            MPI_Request_free(&request);
        } else {
            MPI_Request request = psend(to_here, PARTITIONS, EACH, next, 6);
            if (rank == 1)
                MPI_Recv(to_here, PARTITIONS * EACH, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else {
                MPI_Request before = precv(to_here, PARTITIONS, EACH, rank - 1, 6);
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

PROMISE(what_was_waited_for_is_right_when_it_is_read) {
    enum { PARTITIONS = 16, EACH = 20480 }; /* whole pages, which can be guarded */
    if (rank > 1) return;
    MPI_Request request =
        rank == 0 ? psend(from_here, PARTITIONS, EACH, 1, 8) : precv(to_here, 4, PARTITIONS * EACH / 4, 0, 8);
    for (int turn = 0; turn < 4; turn++) {
        MPI_Start(&request);
        for (int half = 0; half < 2 && rank == 0; half++) {
            fill_part(from_here, (size_t)half * PARTITIONS / 2 * EACH, PARTITIONS / 2 * EACH, turn);
            MPI_Pready_range(half * PARTITIONS / 2, (half + 1) * PARTITIONS / 2 - 1, request);
            if (!half) usleep(20000);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* which may return early */
        if (rank == 1) CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn));
    }
    MPI_Request_free(&request);
}

PROMISE(what_a_look_has_found_behind_what_is_missing_is_right_after_the_wait) {
    enum { PARTITIONS = 16, EACH = 20480 }; /* whole pages, which can be guarded */
    if (rank > 1) return;
    for (int again = 0; again < 3; again++) {
        MPI_Request request =
            rank == 0 ? psend(from_here, PARTITIONS, EACH, 1, 9) : precv(to_here, PARTITIONS, EACH, 0, 9);
        for (int turn = 0; turn < 2; turn++) { /* the first without a look: the second one's wait may return early */
            MPI_Start(&request);
            for (int k = PARTITIONS - 1; k >= 0 && rank == 0; k--) {
                fill_part(from_here, (size_t)k * EACH, EACH, turn);
                MPI_Pready(k, request);
                if (k == PARTITIONS / 2) usleep(20000);
            }
            for (int here = 0; rank == 1 && turn == 1 && !here;) MPI_Parrived(request, PARTITIONS - 1, &here);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (rank == 1) CHECK(part_holds(to_here, 0, PARTITIONS * EACH, turn));
        }
        MPI_Request_free(&request);
    }
}

PROMISE(errors_are_told) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK(MPI_Psend_init(from_here, 4, 10, MPI_BYTE, ranks, 1, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
    CHECK(MPI_Psend_init(from_here, 4, 10, MPI_DATATYPE_NULL, 0, 1, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
    CHECK(MPI_Precv_init(to_here, 4, 10, MPI_BYTE, 0, -5, comm, MPI_INFO_NULL, &request) != MPI_SUCCESS);
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
        fill_part(from_here, (size_t)one * THREADS_BYTES, THREADS_BYTES, turn_of_threads);
        MPI_Pready(one, shared);
    }
    return NULL;
}
static void *await(void *which) {
    const int mine = *(int *)which;
    for (int k = 0; k < EACH_THREAD; k++) {
        const int one = mine * EACH_THREAD + k;
        for (int here = 0; !here;) MPI_Parrived(shared, one, &here);
        CHECK(part_holds(to_here, (size_t)one * THREADS_BYTES, THREADS_BYTES, turn_of_threads));
    }
    return NULL;
}

PROMISE(threads_mark_and_ask) {
    pthread_t all[THREADS];
    int which[THREADS];
    if (thread_level != MPI_THREAD_MULTIPLE || rank > 1) return;
    pthread_barrier_init(&together, NULL, THREADS);
    shared =
        rank == 0 ? psend(from_here, OF_THREADS, THREADS_BYTES, 1, 1) : precv(to_here, OF_THREADS, THREADS_BYTES, 0, 1);
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
