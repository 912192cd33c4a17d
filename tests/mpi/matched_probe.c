/* MPI_Mprobe, MPI_Improbe, MPI_Mrecv, MPI_Imrecv: a message that was taken out belongs to its handle alone. */
#include "promise.h"

PROMISE(mrecv_gets_the_message_that_mprobe_took) {
    for (int i = 0; i < SIZES; i++)
        for (int wild = 0; wild < 2; wild++) {
            if (rank == 0) fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 4, MPI_COMM_WORLD);
            if (rank == 1) {
                MPI_Status status;
                MPI_Message message;
                MPI_Mprobe(wild ? MPI_ANY_SOURCE : 0, wild ? MPI_ANY_TAG : 4, MPI_COMM_WORLD, &message, &status);
                CHECK(status_is(&status, 0, 4, sizes[i]) && message != MPI_MESSAGE_NULL);
                memset(in, 0xEE, LARGEST + 64);
                MPI_Mrecv(in, sizes[i], MPI_BYTE, &message, &status);
                CHECK(status_is(&status, 0, 4, sizes[i]) && holds(in, sizes[i], i) && message == MPI_MESSAGE_NULL);
                CHECK(all_are(in + sizes[i], 64, 0xEE));
            }
        }
}

PROMISE(imrecv_gets_the_message_that_improbe_took) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 4, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Status status;
            MPI_Message message;
            MPI_Request request;
            int flag = 0;
            while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &message, &status);
            CHECK(status_is(&status, 0, 4, sizes[i]));
            MPI_Imrecv(in, LARGEST, MPI_BYTE, &message, &request);
            CHECK(message == MPI_MESSAGE_NULL);
            if (i % 2) {
                for (flag = 0; !flag;) MPI_Test(&request, &flag, &status);
            } else {
                MPI_Wait(&request, &status);
            }
            CHECK(status_is(&status, 0, 4, sizes[i]) && holds(in, sizes[i], i) && request == MPI_REQUEST_NULL);
        }
    }
}

PROMISE(messages_taken_out_are_received_in_any_order) {
    enum { MANY = 6 };
    if (rank == 0) {
        MPI_Request request[MANY];
        unsigned char *each[MANY];
        for (int i = 0; i < MANY; i++) {
            each[i] = malloc(LARGEST);
            fill(each[i], sizes[SIZES - MANY + i], i);
            MPI_Isend(each[i], sizes[SIZES - MANY + i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++) free(each[i]);
    }
    if (rank == 1) {
        MPI_Message message[MANY];
        MPI_Status status;
        for (int i = 0; i < MANY; i++) {
            MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message[i], &status);
            CHECK(status_is(&status, 0, 1, sizes[SIZES - MANY + i]));
        }
        for (int i = MANY - 1; i >= 0; i--) {
            MPI_Mrecv(in, LARGEST, MPI_BYTE, &message[i], &status);
            CHECK(status_is(&status, 0, 1, sizes[SIZES - MANY + i]) && holds(in, sizes[SIZES - MANY + i], i));
        }
    }
}

PROMISE(a_probe_does_not_see_what_mprobe_took) {
    if (rank == 0) {
        fill(out, 70000, 1), MPI_Send(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        hear(1);
        fill(out, 65536, 2), MPI_Send(out, 65536, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Message message;
        MPI_Status status;
        MPI_Request request;
        int flag = 1;
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, &status);
        CHECK(!flag);
        /* Its data may need the receive: a plain sender returns from MPI_Send only then. */
        MPI_Imrecv(in, LARGEST, MPI_BYTE, &message, &request);
        MPI_Wait(&request, &status);
        CHECK(status_is(&status, 0, 1, 70000) && holds(in, 70000, 1));
        tell(0);
        MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, 1, 65536));
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, 1, 65536) && holds(in, 65536, 2));
    }
}

PROMISE(mprobe_after_probe_takes_the_probed_message) {
    if (rank == 0) {
        MPI_Request request[2];
        fill(out, 70000, 1);
        fill(in, 20000, 2);
        MPI_Isend(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(in, 20000, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Message message;
        MPI_Status status;
        MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        CHECK(status_is(&status, 0, 1, 70000));
        MPI_Mrecv(in, LARGEST, MPI_BYTE, &message, &status);
        CHECK(status_is(&status, 0, 1, 70000) && holds(in, 70000, 1));
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        CHECK(status_is(&status, 0, 2, 20000));
        MPI_Mrecv(in, LARGEST, MPI_BYTE, &message, &status);
        CHECK(status_is(&status, 0, 2, 20000) && holds(in, 20000, 2));
    }
}

PROMISE(mprobe_of_no_process_gives_the_empty_message) {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
    MPI_Mrecv(in, 10, MPI_BYTE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
}
