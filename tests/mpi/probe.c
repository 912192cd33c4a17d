/* MPI_Probe and MPI_Iprobe: what they say is what a receive then gets, and they change no order. */
#include "promise.h"

PROMISE(a_probe_tells_the_true_size) {
    for (int i = 0; i < SIZES; i++)
        for (int wild = 0; wild < 2; wild++) {
            if (rank == 0) fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 4, MPI_COMM_WORLD);
            if (rank == 1) {
                MPI_Status probed, status;
                MPI_Probe(wild ? MPI_ANY_SOURCE : 0, wild ? MPI_ANY_TAG : 4, MPI_COMM_WORLD, &probed);
                CHECK(status_is(&probed, 0, 4, sizes[i]));
                unsigned char *exact = malloc(sizes[i] + 1);
                MPI_Recv(exact, count_of(&probed, MPI_BYTE), MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG,
                         MPI_COMM_WORLD, &status);
                CHECK(status_is(&status, 0, 4, sizes[i]) && holds(exact, sizes[i], i));
                free(exact);
            }
        }
}

PROMISE(iprobe_sees_a_message_again_and_again_until_it_is_received) {
    if (rank == 0)
        for (int i = 0; i < SIZES; i++) fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 4, MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < SIZES; i++) {
            MPI_Status status;
            int flag = 0;
            while (!flag) MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, &status);
            for (int k = 0; k < 3; k++) {
                MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &status);
                CHECK(flag && status_is(&status, 0, 4, sizes[i]));
            }
            MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, &status);
            CHECK(!flag);
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 4, sizes[i]) && holds(in, sizes[i], i));
        }
}

/* Hole 6 of the protocol: the probe takes the second message out of the library. */
PROMISE(a_probe_past_another_message_lets_no_receive_overtake) {
    for (int large = 0; large < 3; large++) {
        int first = large == 1 ? 20000 : 70000, second = large == 2 ? 100 : 70000;
        if (rank == 0) {
            MPI_Request request[2];
            fill(out, first, 1);
            fill(in, second, 2);
            MPI_Isend(out, first, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request[0]);
            MPI_Isend(in, second, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request[1]);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 5, second));
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 3, first) && holds(in, first, 1));
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 5, second) && holds(in, second, 2));
        }
    }
}

PROMISE(many_probed_messages_are_received_in_any_order_of_tags) {
    enum { MANY = 8 };
    if (rank == 0) {
        MPI_Request request[MANY];
        unsigned char *each[MANY];
        for (int i = 0; i < MANY; i++) {
            each[i] = malloc(LARGEST);
            fill(each[i], sizes[SIZES - MANY + i], i);
            MPI_Isend(each[i], sizes[SIZES - MANY + i], MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++) free(each[i]);
    }
    if (rank == 1) {
        MPI_Status status;
        for (int i = MANY - 1; i >= 0; i--) {
            MPI_Probe(0, i, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, i, sizes[SIZES - MANY + i]));
        }
        for (int k = 0; k < MANY; k++) {
            int i = k * 3 % MANY;
            MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, i, sizes[SIZES - MANY + i]) && holds(in, sizes[SIZES - MANY + i], i));
        }
    }
}

PROMISE(a_probed_message_is_taken_by_every_kind_of_receive) {
    for (int kind = 0; kind < 5; kind++) {
        if (rank == 0) fill(out, 70000, kind), MPI_Send(out, 70000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        if (rank == 0 && kind == 4) hear(1);
        if (rank == 1) {
            MPI_Status status;
            MPI_Request request;
            MPI_Message message;
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            switch (kind) {
            case 0:
                MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
                break;
            case 1:
                MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, &status);
                CHECK(request == MPI_REQUEST_NULL);
                break;
            case 2:
                MPI_Recv_init(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
                MPI_Wait(&request, &status);
                CHECK(request != MPI_REQUEST_NULL);
                MPI_Request_free(&request);
                break;
            case 3:
                MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(in, LARGEST, MPI_BYTE, &message, &status);
                break;
            case 4:
                MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 9999, in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
                break;
            }
            CHECK(status_is(&status, 0, 2, 70000) && holds(in, 70000, kind));
        }
    }
}

PROMISE(a_receive_posted_before_a_probe_keeps_its_message) {
    if (rank == 1) {
        MPI_Request request;
        MPI_Status status;
        unsigned char *first = malloc(LARGEST);
        MPI_Irecv(first, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
        tell(0);
        MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, 2, 20000));
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, 2, 20000) && holds(in, 20000, 2));
        MPI_Wait(&request, &status);
        CHECK(status_is(&status, 0, 2, 70000) && holds(first, 70000, 1));
        free(first);
    }
    if (rank == 0) {
        hear(1);
        fill(out, 70000, 1), MPI_Send(out, 70000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        fill(out, 20000, 2), MPI_Send(out, 20000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    }
}

PROMISE(a_probe_of_no_process_returns_at_once) {
    MPI_Status status;
    int flag = 0;
    MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
    MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag && status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
}

PROMISE(a_probe_counts_elements_of_any_type) {
    if (rank == 0) {
        double values[3000];
        for (int i = 0; i < 3000; i++) values[i] = i * 0.5;
        MPI_Send(values, 3000, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Status status;
        int elements = -1;
        MPI_Datatype pair;
        MPI_Type_contiguous(7, MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, MPI_DOUBLE) == 3000);
        CHECK(count_of(&status, pair) == MPI_UNDEFINED);
        MPI_Get_elements(&status, pair, &elements);
        CHECK(elements == 3000);
        MPI_Recv(in, 3000, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &status);
        CHECK(((double *)in)[2999] == 1499.5);
        MPI_Type_free(&pair);
    }
}
