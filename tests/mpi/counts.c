/* Zero bytes, and the large-count forms where the library has them (with small data). */
#include "promise.h"

PROMISE(zero_bytes_of_any_type_arrive) {
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(out, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(out, 5, empty, 1, 1, MPI_COMM_WORLD);
    }
    if (rank == 1)
        for (int i = 0; i < 3; i++) {
            MPI_Status status;
            in[0] = 7;
            MPI_Recv(i ? in : NULL, i ? 100 : 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, 0) && in[0] == 7);
        }
    MPI_Type_free(&empty);
}

#if MPI_VERSION >= 4
PROMISE(large_count_forms_meet_small_count_forms) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Count bytes = sizes[i], got;
        MPI_Request request;
        MPI_Status status;
        if (rank == 0) {
            fill(out, bytes, i);
            MPI_Send_c(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Isend_c(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Send(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Ssend_c(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Send_init_c(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 1)
            for (int k = 0; k < 5; k++) {
                memset(in, 0, bytes);
                if (k == 0) MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                if (k == 1) MPI_Recv_c(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                if (k == 2)
                    MPI_Irecv_c(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request), MPI_Wait(&request, &status);
                if (k == 3) {
                    MPI_Message message;
                    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
                    MPI_Mrecv_c(in, LARGEST, MPI_BYTE, &message, &status);
                }
                if (k == 4) {
                    MPI_Recv_init_c(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
                    MPI_Start(&request);
                    MPI_Wait(&request, &status);
                    MPI_Request_free(&request);
                }
                MPI_Get_count_c(&status, MPI_BYTE, &got);
                CHECK(got == bytes && holds(in, bytes, i));
            }
    }
}

PROMISE(large_count_sendrecv) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int i = 0; i < SIZES; i++) {
        MPI_Status status;
        fill(out, sizes[i], rank);
        MPI_Sendrecv_c(out, sizes[i], MPI_BYTE, next, 2, in, LARGEST, MPI_BYTE, last, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, last, 2, sizes[i]) && holds(in, sizes[i], last));
        MPI_Sendrecv_replace_c(out, sizes[i], MPI_BYTE, next, 2, last, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, last, 2, sizes[i]) && holds(out, sizes[i], last));
    }
}
#endif
