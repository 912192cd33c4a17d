/* MPI_Wait*, MPI_Test*, MPI_Request_free and MPI_Request_get_status over requests of every size at once. */
#include "promise.h"
#include <unistd.h>

enum { MANY = SIZES };
static unsigned char *each[MANY];
static MPI_Request request[MANY + 2];
static MPI_Status status[MANY + 2];

/* Rank 0 sends MANY messages in a shuffled order; rank 1 posts their receives, with an empty request at both ends. */
static void post_all(void) {
    for (int i = 0; i < MANY; i++) each[i] = malloc(LARGEST);
    if (rank == 1) {
        request[0] = request[MANY + 1] = MPI_REQUEST_NULL;
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(each[i], LARGEST, MPI_BYTE, 0, 10 + i, MPI_COMM_WORLD, &request[i + 1]);
        tell(0);
    }
    if (rank == 0) {
        hear(1);
        for (int k = 0; k < MANY; k++) {
            int i = k * 5 % MANY;
            fill(each[i], sizes[i], i);
            MPI_Isend(each[i], sizes[i], MPI_BYTE, 1, 10 + i, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++) CHECK(request[i] == MPI_REQUEST_NULL);
    }
}
static int came(int at, const MPI_Status *s) { /* request `at` of rank 1's */
    int i = at - 1;
    return i >= 0 && i < MANY && status_is(s, 0, 10 + i, sizes[i]) && holds(each[i], sizes[i], i);
}
static void clean_up(void) {
    for (int i = 0; i < MANY; i++) free(each[i]);
}

PROMISE(waitall_fills_every_status) {
    post_all();
    if (rank == 1) {
        MPI_Waitall(MANY + 2, request, status);
        CHECK(status_is_empty(&status[0]) && status_is_empty(&status[MANY + 1]));
        for (int at = 1; at <= MANY; at++) CHECK(came(at, &status[at]) && request[at] == MPI_REQUEST_NULL);
        MPI_Waitall(MANY + 2, request, status);
        for (int at = 0; at < MANY + 2; at++) CHECK(status_is_empty(&status[at]));
    }
    clean_up();
}

/* Rank 1 says the last word, or hears it, once a large message to rank 0 has left: rank 0 has to take that in while it waits. */
enum { BESIDE = 4000000, BY_WAIT = 0, BY_WAITALL, BY_WAITANY, BY_WAITSOME, BY_RECV, BY_SSEND, BY_SENDRECV, WAYS };
static void wait_for_the_last_word(int way) {
    MPI_Request word[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int at, n = 0;
    if (way <= BY_WAITSOME) MPI_Irecv(NULL, 0, MPI_BYTE, 1, way, MPI_COMM_WORLD, &word[1]);
    if (way == BY_WAIT) MPI_Wait(&word[1], MPI_STATUS_IGNORE);
    if (way == BY_WAITALL) MPI_Waitall(2, word, MPI_STATUSES_IGNORE);
    if (way == BY_WAITANY) MPI_Waitany(2, word, &at, MPI_STATUS_IGNORE);
    if (way == BY_WAITSOME) {
        MPI_Waitsome(2, word, &n, &at, MPI_STATUSES_IGNORE);
        CHECK(n == 1 && at == 1 && word[1] == MPI_REQUEST_NULL);
    }
    if (way == BY_RECV) MPI_Recv(NULL, 0, MPI_BYTE, 1, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (way == BY_SSEND) MPI_Ssend(NULL, 0, MPI_BYTE, 1, way, MPI_COMM_WORLD);
    if (way == BY_SENDRECV)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 1, way, NULL, 0, MPI_BYTE, 1, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
PROMISE(while_a_rank_waits_it_takes_in_what_it_posted_before) {
    unsigned char *large = malloc(BESIDE);
    for (int way = 0; way < WAYS; way++) {
        if (rank == 0) {
            MPI_Request beside;
            MPI_Irecv(large, BESIDE, MPI_BYTE, 1, 100 + way, MPI_COMM_WORLD, &beside);
            wait_for_the_last_word(way);
            MPI_Wait(&beside, status);
            CHECK(status_is(status, 1, 100 + way, BESIDE) && holds(large, BESIDE, way));
        }
        if (rank == 1) {
            fill(large, BESIDE, way);
            MPI_Send(large, BESIDE, MPI_BYTE, 0, 100 + way, MPI_COMM_WORLD);
            if (way != BY_SSEND) MPI_Send(NULL, 0, MPI_BYTE, 0, way, MPI_COMM_WORLD);
            if (way >= BY_SSEND) MPI_Recv(NULL, 0, MPI_BYTE, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    free(large);
}

PROMISE(what_is_inactive_is_not_waited_for_while_a_receive_is_posted) {
    unsigned char *large = malloc(LARGEST), word = 0;
    MPI_Request beside, none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 0) {
        MPI_Irecv(large, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &beside);
        MPI_Send_init(&word, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &none[1]); /* not started */
        MPI_Wait(&none[0], status);
        CHECK(status_is_empty(status));
        MPI_Wait(&none[1], status);
        CHECK(status_is_empty(status));
        MPI_Waitall(2, none, status);
        CHECK(status_is_empty(&status[0]) && status_is_empty(&status[1]));
        int at;
        MPI_Waitany(2, none, &at, status);
        CHECK(at == MPI_UNDEFINED && status_is_empty(status));
        MPI_Request_free(&none[1]);
        tell(1);
        MPI_Wait(&beside, status);
        CHECK(status_is(status, 1, 1, LARGEST) && holds(large, LARGEST, 3));
    }
    if (rank == 1) {
        hear(0);
        fill(large, LARGEST, 3);
        MPI_Send(large, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    free(large);
}

/* The last word is a persistent request's; with it ends what came before, and what was not started does not. */
PROMISE(waitsome_beside_a_posted_receive_ends_all_that_is_complete) {
    unsigned char *large = malloc(LARGEST), words[4] = {0};
    MPI_Request beside, some[4] = {MPI_REQUEST_NULL};
    if (rank == 0) {
        MPI_Irecv(large, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &beside);
        MPI_Recv_init(&words[1], 1, MPI_BYTE, 1, 11, MPI_COMM_WORLD, &some[1]);
        MPI_Recv_init(&words[2], 1, MPI_BYTE, 1, 12, MPI_COMM_WORLD, &some[2]); /* not started */
        MPI_Irecv(&words[3], 1, MPI_BYTE, 1, 13, MPI_COMM_WORLD, &some[3]);
        MPI_Start(&some[1]);
        for (int left = 2, n = 0, which[4]; left > 0; left -= n) {
            MPI_Waitsome(4, some, &n, which, status);
            CHECK(n >= 1 && n <= left);
            for (int k = 0; k < n; k++) {
                CHECK((which[k] == 1 || which[k] == 3) && status_is(&status[k], 1, 10 + which[k], 1));
                CHECK(words[which[k]] == which[k]);
            }
        }
        CHECK(some[1] != MPI_REQUEST_NULL && some[3] == MPI_REQUEST_NULL);
        MPI_Request_free(&some[1]);
        MPI_Request_free(&some[2]);
        tell(1);
        MPI_Wait(&beside, status);
        CHECK(status_is(status, 1, 1, LARGEST) && holds(large, LARGEST, 3));
    }
    if (rank == 1) {
        for (unsigned char word = 1; word <= 3; word += 2)
            usleep(2000), MPI_Send(&word, 1, MPI_BYTE, 0, 10 + word, MPI_COMM_WORLD);
        hear(0);
        fill(large, LARGEST, 3);
        MPI_Send(large, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    free(large);
}

PROMISE(waitany_completes_each_request_once) {
    post_all();
    if (rank == 1) {
        int seen[MANY + 2] = {0}, at;
        for (int k = 0; k < MANY; k++) {
            MPI_Waitany(MANY + 2, request, &at, status);
            CHECK(came(at, status) && request[at] == MPI_REQUEST_NULL && !seen[at]);
            if (at >= 0) seen[at] = 1;
        }
        MPI_Waitany(MANY + 2, request, &at, status);
        CHECK(at == MPI_UNDEFINED && status_is_empty(status));
    }
    clean_up();
}

PROMISE(waitsome_completes_each_request_once) {
    post_all();
    if (rank == 1) {
        int left = MANY, count, which[MANY + 2];
        while (left > 0) {
            MPI_Waitsome(MANY + 2, request, &count, which, status);
            CHECK(count >= 1);
            left -= count;
            for (int k = 0; k < count; k++) CHECK(came(which[k], &status[k]) && request[which[k]] == MPI_REQUEST_NULL);
        }
        CHECK(left == 0);
        MPI_Waitsome(MANY + 2, request, &count, which, status);
        CHECK(count == MPI_UNDEFINED);
    }
    clean_up();
}

PROMISE(testall_completes_all_or_none) {
    post_all();
    if (rank == 1) {
        int flag = 0;
        while (1) {
            MPI_Testall(MANY + 2, request, &flag, status);
            if (flag) break;
            for (int at = 1; at <= MANY; at++) CHECK(request[at] != MPI_REQUEST_NULL);
        }
        for (int at = 1; at <= MANY; at++) CHECK(came(at, &status[at]) && request[at] == MPI_REQUEST_NULL);
        MPI_Testall(MANY + 2, request, &flag, status);
        CHECK(flag);
    }
    clean_up();
}

PROMISE(testany_completes_each_request_once) {
    post_all();
    if (rank == 1) {
        int left = MANY, flag, at;
        while (left > 0) {
            MPI_Testany(MANY + 2, request, &at, &flag, status);
            CHECK(flag || at == MPI_UNDEFINED);
            if (!flag) continue;
            left--;
            CHECK(came(at, status) && request[at] == MPI_REQUEST_NULL);
        }
        MPI_Testany(MANY + 2, request, &at, &flag, status);
        CHECK(flag && at == MPI_UNDEFINED && status_is_empty(status));
    }
    clean_up();
}

PROMISE(testsome_completes_each_request_once) {
    post_all();
    if (rank == 1) {
        int left = MANY, count, which[MANY + 2];
        while (left > 0) {
            MPI_Testsome(MANY + 2, request, &count, which, status);
            CHECK(count >= 0);
            if (count < 0) break;
            left -= count;
            for (int k = 0; k < count; k++) CHECK(came(which[k], &status[k]) && request[which[k]] == MPI_REQUEST_NULL);
        }
        MPI_Testsome(MANY + 2, request, &count, which, status);
        CHECK(count == MPI_UNDEFINED);
    }
    clean_up();
}

PROMISE(single_waits_and_tests_in_any_order) {
    post_all();
    if (rank == 1)
        for (int k = 0; k < MANY; k++) {
            int at = 1 + (k * 7 + 3) % MANY, flag = 0;
            if (k % 2)
                MPI_Wait(&request[at], status);
            else
                while (!flag) MPI_Test(&request[at], &flag, status);
            CHECK(came(at, status) && request[at] == MPI_REQUEST_NULL);
            MPI_Wait(&request[at], status);
            CHECK(status_is_empty(status));
        }
    clean_up();
}

PROMISE(ignored_statuses_are_ignored) {
    post_all();
    if (rank == 1) {
        int at, flag = 0, count, which[MANY + 2], left = MANY - 3;
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        while (!flag) MPI_Test(&request[2], &flag, MPI_STATUS_IGNORE);
        MPI_Waitany(MANY + 2, request, &at, MPI_STATUS_IGNORE);
        while (left > 3) MPI_Testsome(MANY + 2, request, &count, which, MPI_STATUSES_IGNORE), left -= count;
        MPI_Waitall(MANY + 2, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++) CHECK(holds(each[i], sizes[i], i));
    }
    clean_up();
}

PROMISE(get_status_looks_and_leaves_the_request) {
    post_all();
    if (rank == 1)
        for (int at = 1; at <= MANY; at++) {
            int flag = 0;
            while (!flag) MPI_Request_get_status(request[at], &flag, status);
            CHECK(came(at, status) && request[at] != MPI_REQUEST_NULL);
            MPI_Request_get_status(request[at], &flag, status);
            CHECK(flag && came(at, status));
            MPI_Test(&request[at], &flag, status);
            CHECK(flag && came(at, status) && request[at] == MPI_REQUEST_NULL);
            MPI_Request_get_status(MPI_REQUEST_NULL, &flag, status);
            CHECK(flag && status_is_empty(status));
        }
    clean_up();
}

PROMISE(a_freed_receive_still_receives) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 1) {
            MPI_Request one;
            memset(in, 0, LARGEST);
            MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &one);
            MPI_Request_free(&one);
            CHECK(one == MPI_REQUEST_NULL);
            tell(0);
            hear(0); /* the message went before this word, but may be still on its way */
            double begin = MPI_Wtime();
            int flag;
            while (!holds(in, sizes[i], i) && MPI_Wtime() - begin < 10)
                MPI_Iprobe(MPI_ANY_SOURCE, 4321, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            CHECK(holds(in, sizes[i], i));
        }
        if (rank == 0) {
            hear(1);
            fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 5, MPI_COMM_WORLD);
            tell(1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

PROMISE(a_freed_send_is_still_sent) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request one;
            fill(out, sizes[i], i);
            (i % 2 ? MPI_Isend : MPI_Issend)(out, sizes[i], MPI_BYTE, 1, 5, MPI_COMM_WORLD, &one);
            MPI_Request_free(&one);
            CHECK(one == MPI_REQUEST_NULL);
            hear(1);
        }
        if (rank == 1) {
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, status);
            CHECK(status_is(status, 0, 5, sizes[i]) && holds(in, sizes[i], i));
            tell(0);
        }
    }
}

PROMISE(sends_and_receives_mix_in_one_wait) {
    int other = 1 - rank;
    if (rank < 2)
        for (int i = 0; i < SIZES; i++) {
            MPI_Request both[2];
            MPI_Status s[2];
            fill(out, sizes[i], rank + i);
            MPI_Isend(out, sizes[i], MPI_BYTE, other, 1, MPI_COMM_WORLD, &both[0]);
            MPI_Irecv(in, LARGEST, MPI_BYTE, other, 1, MPI_COMM_WORLD, &both[1]);
            MPI_Waitall(2, both, s);
            CHECK(status_is(&s[1], other, 1, sizes[i]) && holds(in, sizes[i], other + i));
            CHECK(both[0] == MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL);
        }
}

/* The message comes when rank 1 goes on: who waits for it, too, waits for ever. The collective ends while its progress is looked at. */
PROMISE(a_collective_ends_a_wait_for_any_beside_a_receive_that_nobody_has_sent_yet) {
    enum { INTS = 4096 };
    int *sum = calloc(INTS, sizeof *sum), *mine = calloc(INTS, sizeof *mine), count = 0, at;
    unsigned char *message = malloc(LARGEST);
    for (int round = 0; round < 20; round++)
        for (int some = 0; some < 2; some++) {
            MPI_Request later = MPI_REQUEST_NULL, collective;
            if (rank == 1) MPI_Irecv(message, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &later);
            for (int k = 0; k < INTS; k++) mine[k] = rank + k + round;
            if (rank == 0) usleep(1000);
            MPI_Iallreduce(mine, sum, INTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &collective);
            if (some)
                MPI_Waitsome(1, &collective, &count, &at, status);
            else
                MPI_Waitany(1, &collective, &at, status);
            for (int k = 0; k < INTS; k++) CHECK(sum[k] == ranks * (ranks - 1) / 2 + ranks * (k + round));
            if (rank == 1) tell(0);
            if (rank == 0) {
                hear(1);
                fill(message, LARGEST, round);
                MPI_Send(message, LARGEST, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
            }
            MPI_Wait(&later, MPI_STATUS_IGNORE);
            if (rank == 1) CHECK(holds(message, LARGEST, round));
        }
    free(sum), free(mine), free(message);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
PROMISE(get_status_of_any_and_some_of_the_librarys_own_requests) {
    MPI_Request one[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, at = -1, count = 0, which[2];
    MPI_Request_get_status_any(2, one, &at, &flag, status);
    CHECK(flag && at == MPI_UNDEFINED && status_is_empty(status));
    MPI_Request_get_status_some(2, one, &count, which, status);
    CHECK(count == MPI_UNDEFINED);
    if (rank == 0) MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &one[1]);
        for (flag = 0; !flag;) MPI_Request_get_status_any(2, one, &at, &flag, status);
        CHECK(at == 1 && status_is(status, 0, 1, 0));
        MPI_Request_get_status_some(2, one, &count, which, status);
        CHECK(count == 1 && which[0] == 1 && status_is(status, 0, 1, 0));
        MPI_Wait(&one[1], MPI_STATUS_IGNORE);
    }
}

PROMISE(get_status_of_any_some_and_all) {
    post_all();
    if (rank == 1) {
        int flag = 0, at = -1, count = 0, which[MANY + 2];
        while (!flag) MPI_Request_get_status_any(MANY + 2, request, &at, &flag, status);
        CHECK(came(at, status));
        do MPI_Request_get_status_some(MANY + 2, request, &count, which, status);
        while (count < 1);
        for (int k = 0; k < count; k++) CHECK(came(which[k], &status[k]));
        for (flag = 0; !flag;) MPI_Request_get_status_all(MANY + 2, request, &flag, status);
        for (at = 1; at <= MANY; at++) CHECK(came(at, &status[at]) && request[at] != MPI_REQUEST_NULL);
        MPI_Waitall(MANY + 2, request, status);
        for (at = 1; at <= MANY; at++) CHECK(came(at, &status[at]));
    }
    clean_up();
}
#endif
