/* MPI_Cancel: of a receive before and after its match, and of a send, which may complete instead. */
#include "promise.h"

PROMISE(a_receive_is_cancelled_before_its_match) {
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0;
    for (int i = 0; i < SIZES; i++) {
        MPI_Irecv(in, sizes[i], MPI_BYTE, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        CHECK(cancelled && request == MPI_REQUEST_NULL);
    }
}

PROMISE(a_message_meets_the_receive_after_a_cancelled_one) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 1) {
            MPI_Request request;
            MPI_Status status;
            int cancelled = 0;
            MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            CHECK(cancelled);
            tell(0);
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 5, sizes[i]) && holds(in, sizes[i], i));
        }
        if (rank == 0) hear(1), fill(out, sizes[i], i), MPI_Send(out, sizes[i], MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    }
}

PROMISE(cancelling_a_matched_receive_has_no_effect) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 1) {
            MPI_Request request;
            MPI_Status status;
            int cancelled = 1;
            MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
            tell(0);
            hear(0); /* sent after the message: it was matched before */
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            CHECK(!cancelled && status_is(&status, 0, 5, sizes[i]) && holds(in, sizes[i], i));
        }
        if (rank == 0) {
            MPI_Request request;
            fill(out, sizes[i], i);
            hear(1);
            MPI_Isend(out, sizes[i], MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
            tell(1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

PROMISE(a_cancelled_send_is_received_or_is_not) {
    for (int i = 0; i < SIZES; i++)
        for (int mode = 0; mode < 2; mode++) {
            int cancelled = 0;
            if (rank == 0) {
                MPI_Request request;
                MPI_Status status;
                fill(out, sizes[i], i);
                (mode ? MPI_Issend : MPI_Isend)(out, sizes[i], MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
                MPI_Cancel(&request);
                int flag = 0;
                double begin = MPI_Wtime();
                while (!flag && MPI_Wtime() - begin < 0.02) MPI_Test(&request, &flag, &status);
                if (flag) MPI_Test_cancelled(&status, &cancelled);
                MPI_Send(&cancelled, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
                if (!flag) {
                    MPI_Wait(&request, &status);
                    MPI_Test_cancelled(&status, &cancelled);
                    CHECK(!cancelled);
                }
            }
            if (rank == 1) {
                MPI_Status status;
                MPI_Recv(&cancelled, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
                if (!cancelled) {
                    MPI_Recv(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
                    CHECK(status_is(&status, 0, 5, sizes[i]) && holds(in, sizes[i], i));
                }
            }
        }
}

PROMISE(a_cancelled_persistent_receive_starts_again) {
    if (rank == 1) {
        MPI_Request request;
        MPI_Status status;
        int cancelled = 0;
        MPI_Recv_init(in, LARGEST, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            MPI_Start(&request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            CHECK(cancelled && request != MPI_REQUEST_NULL);
            MPI_Start(&request);
            tell(0);
            MPI_Wait(&request, &status);
            CHECK(status_is(&status, 0, 5, 70000) && holds(in, 70000, i));
        }
        MPI_Request_free(&request);
    }
    if (rank == 0)
        for (int i = 0; i < 3; i++) hear(1), fill(out, 70000, i), MPI_Send(out, 70000, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
}
