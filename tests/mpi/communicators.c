/* Communicators: each one's messages are its own, whatever becomes of the handle. */
#include "promise.h"

static void ping(MPI_Comm comm, int from, int to, int me, int bytes, unsigned what) {
    MPI_Status status;
    if (me == from) fill(out, bytes, what), MPI_Send(out, bytes, MPI_BYTE, to, 1, comm);
    if (me == to) {
        MPI_Recv(in, LARGEST, MPI_BYTE, from, 1, comm, &status);
        CHECK(status_is(&status, from, 1, bytes) && holds(in, bytes, what));
    }
}

PROMISE(messages_of_two_communicators_do_not_mix) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request[2];
            fill(out, sizes[i], 1);
            fill(in, sizes[i], 2);
            MPI_Isend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
            MPI_Isend(in, sizes[i], MPI_BYTE, 1, 1, twin, &request[1]);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &status);
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], 2));
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], 1));
        }
    }
    MPI_Comm_free(&twin);
}

PROMISE(ranks_of_a_split_communicator_are_translated) {
    MPI_Comm part;
    int me, size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part); /* backwards */
    MPI_Comm_rank(part, &me);
    MPI_Comm_size(part, &size);
    for (int i = 0; i < SIZES; i++)
        if (size > 1) ping(part, 0, size - 1, me, sizes[i], i);
    MPI_Comm_free(&part);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part);
    MPI_Comm_rank(part, &me);
    CHECK(me == ranks - 1 - rank);
    for (int i = 0; i < SIZES; i++)
        ping(part, 0, ranks - 1, me, sizes[i], i), ping(part, ranks - 1, 0, me, sizes[i], i);
    MPI_Comm_free(&part);
}

PROMISE(a_communicator_freed_with_messages_under_way_delivers_them) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Comm comm;
        MPI_Request request;
        MPI_Status status;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 0) fill(out, sizes[i], i), MPI_Isend(out, sizes[i], MPI_BYTE, 1, 1, comm, &request);
        if (rank == 1) MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 1, comm, &request);
        MPI_Comm_free(&comm);
        CHECK(comm == MPI_COMM_NULL);
        if (rank < 2) MPI_Wait(&request, &status);
        if (rank == 1) CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
    }
}

/* Hole 19: what was probed on a communicator is not found on another that got its handle. */
PROMISE(a_reused_handle_inherits_nothing) {
    for (int i = 0; i < 6; i++) {
        MPI_Comm comm;
        MPI_Request request;
        MPI_Status status;
        int flag = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 1) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
            CHECK(!flag);
        }
        MPI_Barrier(comm);
        if (rank == 0) fill(out, 70000, i), MPI_Isend(out, 70000, MPI_BYTE, 1, 1, comm, &request);
        if (rank == 1) {
            MPI_Probe(0, MPI_ANY_TAG, comm, &status);
            CHECK(status_is(&status, 0, 1, 70000));
            MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 1, comm, &request);
        }
        if (i % 2)
            MPI_Comm_free(&comm);
        else {
            if (rank < 2) MPI_Wait(&request, &status);
            MPI_Comm_disconnect(&comm);
        }
        if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) CHECK(holds(in, 70000, i));
    }
}

static int free_it(MPI_Comm of, int key, void *value, void *extra) {
    (void)of, (void)key, (void)extra;
    return MPI_Comm_free(value);
}

/* As mpi4py frees those that it has made for itself. */
PROMISE(a_handle_freed_with_an_attribute_inherits_nothing) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_it, &key, NULL);
    for (int turn = 0; turn < 8; turn++) {
        MPI_Comm outer, hidden, again;
        int root = rank == ranks - 1 ? turn : -1, next = -1;
        MPI_Comm_dup(MPI_COMM_WORLD, &outer);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &hidden);
        MPI_Bcast(&root, 1, MPI_INT, 0, hidden);
        CHECK(root == turn);
        MPI_Comm_set_attr(outer, key, &hidden);
        MPI_Comm_free(&outer);
        CHECK(hidden == MPI_COMM_NULL);
        MPI_Comm_dup(MPI_COMM_WORLD, &again);
        MPI_Comm_dup(MPI_COMM_WORLD, &outer);
        for (int k = 0; k < 2; k++) {
            const MPI_Comm comm = k ? outer : again;
            MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, k, &next, 1, MPI_INT, (rank + ranks - 1) % ranks, k,
                         comm, MPI_STATUS_IGNORE);
            CHECK(next == (rank + ranks - 1) % ranks);
            root = rank == 0 ? -turn : 1;
            MPI_Bcast(&root, 1, MPI_INT, 0, comm);
            CHECK(root == -turn);
        }
        MPI_Comm_free(&again), MPI_Comm_free(&outer);
    }
    MPI_Comm_free_keyval(&key);
}

PROMISE(disconnect_completes_what_is_under_way) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        ping(comm, 0, 1, rank, sizes[i], i);
        MPI_Comm_disconnect(&comm);
        CHECK(comm == MPI_COMM_NULL);
    }
}

PROMISE(messages_to_oneself_arrive) {
    for (int i = 0; i < SIZES; i++)
        for (int world = 0; world < 2; world++) {
            MPI_Comm comm = world ? MPI_COMM_WORLD : MPI_COMM_SELF;
            int me = world ? rank : 0;
            MPI_Request request;
            MPI_Status status;
            fill(out, sizes[i], i);
            MPI_Irecv(in, LARGEST, MPI_BYTE, me, 1, comm, &request);
            MPI_Send(out, sizes[i], MPI_BYTE, me, 1, comm);
            MPI_Wait(&request, &status);
            CHECK(status_is(&status, me, 1, sizes[i]) && holds(in, sizes[i], i));
            MPI_Isend(out, sizes[i], MPI_BYTE, me, 2, comm, &request);
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
            CHECK(status_is(&status, me, 2, sizes[i]));
            memset(in, 0, sizes[i]);
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, &status);
            CHECK(holds(in, sizes[i], i));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
}

/* MPICH 4.0.2 itself leaves the status of a non-blocking receive from no process as it was. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
static int came_from_nobody(const MPI_Status *status) {
    return status != NULL;
}
#else
static int came_from_nobody(const MPI_Status *status) {
    return status_is(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}
#endif

PROMISE(no_process_takes_and_gives_nothing) {
    MPI_Request request[2];
    MPI_Status status[2];
    memset(in, 7, 100);
    MPI_Send(out, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Ssend(out, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(in, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status);
    CHECK(status_is(status, MPI_PROC_NULL, MPI_ANY_TAG, 0) && all_are(in, 100, 7));
    MPI_Isend(out, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(in, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], &status[1]);
    CHECK(came_from_nobody(&status[1]) && all_are(in, 100, 7));
    MPI_Send_init(out, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(in, LARGEST, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Startall(2, request);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], &status[1]);
    CHECK(all_are(in, 100, 7)); /* MPICH 5.0.2 says nothing right of its status */
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

PROMISE(an_intercommunicator_carries_every_size_and_kind) {
    MPI_Comm part, inter, merged;
    int side = rank >= (ranks + 1) / 2, me, far;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, side ? 0 : (ranks + 1) / 2, 12, &inter);
    MPI_Comm_rank(part, &me);
    MPI_Comm_remote_size(inter, &far);
    for (int i = 0; i < SIZES; i++)
        if (me == 0) { /* both leaders: the same local rank, different processes */
            MPI_Request request;
            MPI_Status status;
            fill(out, sizes[i], side);
            MPI_Isend(out, sizes[i], MPI_BYTE, 0, 1, inter, &request);
            if (i % 2) {
                MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
                CHECK(status_is(&status, 0, 1, sizes[i]));
            }
            MPI_Recv(in, LARGEST, MPI_BYTE, i % 3 ? 0 : MPI_ANY_SOURCE, 1, inter, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], 1 - side));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    MPI_Intercomm_merge(inter, side, &merged);
    int at;
    MPI_Comm_rank(merged, &at);
    for (int i = 0; i < SIZES; i++) ping(merged, 0, ranks - 1, at, sizes[i], i);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&part);
}

PROMISE(many_communicators_come_and_go) {
    for (int i = 0; i < 60; i++) {
        MPI_Comm one, two;
        MPI_Comm_dup(MPI_COMM_WORLD, &one);
        MPI_Comm_split(one, 0, ranks - rank, &two);
        int me;
        MPI_Comm_rank(two, &me);
        ping(one, 0, 1, rank, 20000, i);
        ping(two, 0, 1, me, 20000, i + 100);
        MPI_Comm_free(&one);
        MPI_Comm_free(&two);
    }
}

PROMISE(a_cartesian_neighbourhood_exchanges) {
    MPI_Comm line;
    int wrap = 1, left, right;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &wrap, 1, &line);
    MPI_Cart_shift(line, 0, 1, &left, &right);
    for (int i = 0; i < SIZES; i++) {
        int me;
        MPI_Status status;
        MPI_Comm_rank(line, &me);
        fill(out, sizes[i], me);
        MPI_Sendrecv(out, sizes[i], MPI_BYTE, right, 1, in, LARGEST, MPI_BYTE, left, 1, line, &status);
        CHECK(status_is(&status, left, 1, sizes[i]) && holds(in, sizes[i], left));
    }
    MPI_Comm_free(&line);
}

PROMISE(disconnect_waits_for_no_other_communicators_messages) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Comm comm;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 0) fill(out, sizes[i], i), MPI_Isend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Comm_disconnect(&comm);
        if (rank == 1) {
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}
