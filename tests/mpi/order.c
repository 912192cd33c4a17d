/* MPI's order of messages (MPI 4.1, 3.5): what one rank sends on one communicator is received in the order sent. */
#include "promise.h"

PROMISE(every_size_arrives) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int i = 0; i < SIZES; i++) {
        MPI_Request request;
        MPI_Status status;
        fill(out, sizes[i], rank * 100 + i);
        memset(in, 0xEE, sizes[i] + 64);
        MPI_Isend(out, sizes[i], MPI_BYTE, next, i, MPI_COMM_WORLD, &request);
        MPI_Recv(in, LARGEST, MPI_BYTE, last, i, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, last, i, sizes[i]));
        CHECK(holds(in, sizes[i], last * 100 + i));
        CHECK(all_are(in + sizes[i], 64, 0xEE));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

PROMISE(a_receive_of_exactly_the_messages_size_takes_it) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Status status;
            memset(in, 0xEE, LARGEST + 64);
            CHECK(MPI_Recv(in, sizes[i], MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
            CHECK(all_are(in + sizes[i], 64, 0xEE));
        }
    }
}

PROMISE(messages_of_one_tag_arrive_in_the_order_sent) {
    enum { ROUNDS = 4 };
    if (rank == 0) {
        MPI_Request request[ROUNDS * SIZES];
        unsigned char *each[ROUNDS * SIZES];
        for (int i = 0; i < ROUNDS * SIZES; i++) {
            int bytes = sizes[i * 5 % SIZES];
            each[i] = malloc(bytes + 1);
            fill(each[i], bytes, i);
            MPI_Isend(each[i], bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(ROUNDS * SIZES, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < ROUNDS * SIZES; i++) free(each[i]);
    }
    if (rank == 1)
        for (int i = 0; i < ROUNDS * SIZES; i++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, i % 2 ? 7 : MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 7, sizes[i * 5 % SIZES]) && holds(in, sizes[i * 5 % SIZES], i));
        }
}

PROMISE(messages_of_several_tags_arrive_in_order_at_a_wildcard) {
    enum { MANY = 40 };
    if (rank == 0)
        for (int i = 0; i < MANY; i++) {
            fill(out, sizes[i % SIZES], i);
            MPI_Send(out, sizes[i % SIZES], MPI_BYTE, 1, i * 3 % 11, MPI_COMM_WORLD);
        }
    if (rank == 1)
        for (int i = 0; i < MANY; i++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, i * 3 % 11, sizes[i % SIZES]) && holds(in, sizes[i % SIZES], i));
        }
}

PROMISE(any_source_keeps_each_senders_order) {
    enum { EACH = 25 };
    if (rank != 0)
        for (int i = 0; i < EACH; i++) {
            fill(out, sizes[(i + rank) % SIZES], rank * 100 + i);
            MPI_Send(out, sizes[(i + rank) % SIZES], MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        }
    else {
        int seen[64] = {0};
        for (int k = 0; k < EACH * (ranks - 1); k++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
            int s = status.MPI_SOURCE, i = seen[s]++, bytes = sizes[(i + s) % SIZES];
            CHECK(status_is(&status, s, 3, bytes) && holds(in, bytes, s * 100 + i));
        }
        for (int s = 1; s < ranks; s++) CHECK(seen[s] == EACH);
    }
}

PROMISE(receives_posted_first_match_in_the_order_posted) {
    enum { MANY = 12 };
    if (rank == 1) {
        MPI_Request request[MANY];
        MPI_Status status[MANY];
        unsigned char *each[MANY];
        for (int i = 0; i < MANY; i++) {
            each[i] = malloc(LARGEST);
            MPI_Irecv(each[i], LARGEST, MPI_BYTE, i % 3 ? 0 : MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD,
                      &request[i]);
        }
        tell(0);
        MPI_Waitall(MANY, request, status);
        for (int i = 0; i < MANY; i++) {
            CHECK(status_is(&status[i], 0, 5, sizes[SIZES - 1 - i]) && holds(each[i], sizes[SIZES - 1 - i], i));
            free(each[i]);
        }
    }
    if (rank == 0) {
        hear(1);
        for (int i = 0; i < MANY; i++) {
            fill(out, sizes[SIZES - 1 - i], i);
            MPI_Send(out, sizes[SIZES - 1 - i], MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        }
    }
}

PROMISE(receives_by_tag_take_what_was_sent_in_another_order) {
    enum { MANY = 10 };
    if (rank == 0) {
        MPI_Request request[MANY];
        unsigned char *each[MANY];
        for (int i = 0; i < MANY; i++) {
            each[i] = malloc(LARGEST);
            fill(each[i], sizes[i + 3], i);
            MPI_Isend(each[i], sizes[i + 3], MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++) free(each[i]);
    }
    if (rank == 1)
        for (int i = MANY - 1; i >= 0; i--) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, i, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, i, sizes[i + 3]) && holds(in, sizes[i + 3], i));
        }
}

PROMISE(small_messages_do_not_overtake_large_ones) {
    enum { PAIRS = 20 };
    if (rank == 0)
        for (int i = 0; i < PAIRS; i++) {
            fill(out, LARGEST, i);
            MPI_Send(out, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
    if (rank == 1)
        for (int i = 0; i < PAIRS; i++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, LARGEST) && holds(in, LARGEST, i));
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(got == i);
        }
}
