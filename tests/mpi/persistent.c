/* Persistent requests: started many times, kept when complete, freed when inactive. */
#include "promise.h"
#include <unistd.h>

static void init_send(int mode, int bytes, MPI_Request *request) {
    static int (*const init[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *) = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    init[mode](out, bytes, MPI_BYTE, 1, 8, MPI_COMM_WORLD, request);
}

PROMISE(persistent_sends_of_every_mode_carry_new_data_at_each_start) {
    int room = LARGEST + MPI_BSEND_OVERHEAD;
    void *attached = malloc(room);
    /* Open MPI 4.1.4 itself sends garbage from the second start of a large buffered send on. */
    int buffered_most = 3713;
    if (rank == 0) MPI_Buffer_attach(attached, room);
    for (int mode = 0; mode < 4; mode++)
        for (int i = 0; i < SIZES && (mode != 2 || sizes[i] <= buffered_most); i++) {
            MPI_Request request;
            MPI_Status status;
            if (rank == 0) {
                init_send(mode, sizes[i], &request);
                for (int k = 0; k < 3; k++) {
                    fill(out, sizes[i], i * 10 + k);
                    hear(1);
                    MPI_Start(&request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    CHECK(request != MPI_REQUEST_NULL);
                }
                MPI_Request_free(&request);
                CHECK(request == MPI_REQUEST_NULL);
            }
            if (rank == 1)
                for (int k = 0; k < 3; k++) {
                    MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &request);
                    tell(0);
                    MPI_Wait(&request, &status);
                    CHECK(status_is(&status, 0, 8, sizes[i]) && holds(in, sizes[i], i * 10 + k));
                }
        }
    if (rank == 0) MPI_Buffer_detach(&attached, &room);
    free(attached);
}

PROMISE(a_persistent_receive_takes_messages_of_any_size) {
    MPI_Request request;
    MPI_Status status;
    if (rank == 0)
        for (int i = 0; i < 2 * SIZES; i++) {
            fill(out, sizes[i % SIZES], i);
            MPI_Send(out, sizes[i % SIZES], MPI_BYTE, 1, 8, MPI_COMM_WORLD);
        }
    if (rank == 1) {
        MPI_Recv_init(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 2 * SIZES; i++) {
            int flag = 0;
            MPI_Start(&request);
            if (i % 2)
                MPI_Wait(&request, &status);
            else
                while (!flag) MPI_Test(&request, &flag, &status);
            CHECK(request != MPI_REQUEST_NULL);
            CHECK(status_is(&status, 0, 8, sizes[i % SIZES]) && holds(in, sizes[i % SIZES], i));
        }
        MPI_Request_free(&request);
    }
}

PROMISE(startall_starts_sends_and_receives_together) {
    enum { MANY = 6 };
    int other = 1 - rank;
    if (rank < 2) {
        MPI_Request request[2 * MANY];
        MPI_Status status[2 * MANY];
        unsigned char *from[MANY], *to[MANY];
        for (int i = 0; i < MANY; i++) {
            from[i] = malloc(LARGEST), to[i] = malloc(LARGEST);
            MPI_Recv_init(to[i], LARGEST, MPI_BYTE, other, i, MPI_COMM_WORLD, &request[i]);
            MPI_Send_init(from[i], sizes[2 * i + 1], MPI_BYTE, other, i, MPI_COMM_WORLD, &request[MANY + i]);
        }
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < MANY; i++) fill(from[i], sizes[2 * i + 1], rank * 100 + k * 10 + i);
            MPI_Startall(2 * MANY, request);
            MPI_Waitall(2 * MANY, request, status);
            for (int i = 0; i < MANY; i++) {
                CHECK(status_is(&status[i], other, i, sizes[2 * i + 1]));
                CHECK(holds(to[i], sizes[2 * i + 1], other * 100 + k * 10 + i));
            }
        }
        for (int i = 0; i < MANY; i++) {
            MPI_Request_free(&request[i]), MPI_Request_free(&request[MANY + i]);
            free(from[i]), free(to[i]);
        }
    }
}

PROMISE(an_inactive_request_completes_at_once_with_an_empty_status) {
    MPI_Request request[2];
    MPI_Status status;
    int flag = 0, at = 0, count = 0, which[2];
    MPI_Recv_init(in, LARGEST, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(out, LARGEST, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 2; i++) {
        memset(&status, 0x33, sizeof status);
        MPI_Wait(&request[i], &status);
        CHECK(status_is_empty(&status));
        MPI_Test(&request[i], &flag, &status);
        CHECK(flag && status_is_empty(&status));
    }
    MPI_Waitany(2, request, &at, &status);
    CHECK(at == MPI_UNDEFINED && status_is_empty(&status));
    MPI_Testsome(2, request, &count, which, MPI_STATUSES_IGNORE);
    CHECK(count == MPI_UNDEFINED);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

PROMISE(a_persistent_request_freed_while_active_still_delivers) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request;
            fill(out, sizes[i], i);
            init_send(0, sizes[i], &request);
            MPI_Start(&request);
            MPI_Request_free(&request);
            CHECK(request == MPI_REQUEST_NULL);
            hear(1);
        }
        if (rank == 1) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 8, sizes[i]) && holds(in, sizes[i], i));
            tell(0);
        }
    }
}

/* A synchronous one is the library's own to complete. Nothing else ends meanwhile: what was received before comes only when it has. */
PROMISE(a_persistent_synchronous_send_ends_a_wait_for_any_and_some_while_a_receive_is_posted) {
    for (int some = 0; some < 2; some++) {
        if (rank == 0) {
            MPI_Request requests[2];
            int index = -1, n = 0;
            MPI_Irecv(in, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]);
            MPI_Ssend_init(out, LARGEST, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[0]);
            fill(out, LARGEST, 5 + (unsigned)some);
            MPI_Start(&requests[0]);
            if (some)
                CHECK(MPI_Waitsome(1, requests, &n, &index, MPI_STATUSES_IGNORE) == MPI_SUCCESS && n == 1);
            else
                CHECK(MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(index == 0);
            tell(1);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            CHECK(holds(in, LARGEST, 7));
            MPI_Request_free(&requests[0]);
        } else if (rank == 1) {
            usleep(30000); /* rank 0 waits by then */
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(holds(in, LARGEST, 5 + (unsigned)some));
            hear(0);
            fill(out, LARGEST, 7);
            MPI_Send(out, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
}
