/* Delta sends: whatever order, size and company their ranges have, every receive gets the message of a plain send.
 *
 * With -DSTRETTO_PLAIN the same promises hold of MPI alone. */
#include "promise.h"
#include <stretto/stretto.h>

/* Write bytes [begin, end) of message `what` and declare them final. In a function of its own, as programs do it. */
__attribute__((noinline)) static void produce(unsigned char *buffer, int begin, int end, unsigned what) {
    for (int i = begin; i < end; i++) buffer[i] = byte_of(what, i);
    MPIX_Delta_send_data(buffer + begin, end - begin);
}

static void receive(int from, int tag, MPI_Comm comm, int bytes, unsigned what) {
    MPI_Status status;
    memset(in, 0xEE, LARGEST + 64);
    MPI_Recv(in, LARGEST, MPI_BYTE, from, tag, comm, &status);
    CHECK(status_is(&status, from, tag, bytes) && holds(in, bytes, what));
}

/* Send message `what` of `bytes` bytes in pieces, in the order that `how` names. */
static void send_in_pieces(unsigned char *buffer, int bytes, int piece, int how, int to, int tag, MPI_Comm comm,
                           unsigned what) {
    MPI_Request request;
    int pieces = (bytes + piece - 1) / piece, step = pieces > 7 && pieces % 7 ? 7 : 1;
    MPIX_Delta_send_begin(buffer, bytes, MPI_BYTE, to, tag, comm, &request);
    CHECK(request != MPI_REQUEST_NULL);
    for (int k = 0; k < pieces; k++) {
        int i = how == 0 ? k : how == 1 ? pieces - 1 - k : how == 2 ? k * step % pieces : k;
        if (how == 3) { /* written here, declared only in part: the end declares the rest */
            fill(buffer, bytes, what);
            if (i % 2) MPIX_Delta_send_data(buffer + i * piece, (i + 1) * piece < bytes ? piece : bytes - i * piece);
            continue;
        }
        produce(buffer, i * piece, (i + 1) * piece < bytes ? (i + 1) * piece : bytes, what);
    }
    if (how == 4) fill(buffer, bytes, what);
    MPIX_Delta_send_end(&request);
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    memset(buffer, 0, bytes);
}

PROMISE(a_plain_receive_takes_a_delta_send_of_any_size_in_any_order) {
    static const int pieces[] = {64, 1000, 4096, 100000};
    for (int i = 0; i < SIZES; i++)
        for (int how = 0; how < 4; how++)
            for (int k = sizes[i] > 20000; k < 4; k++) {
                if (rank == 0) send_in_pieces(out, sizes[i], pieces[k], how, 1, 1, MPI_COMM_WORLD, i * 10 + how);
                if (rank == 1) receive(0, 1, MPI_COMM_WORLD, sizes[i], i * 10 + how);
            }
}

PROMISE(a_delta_send_without_annotations_is_a_send) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            fill(out, sizes[i], i);
            MPIX_Delta_send_end(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) receive(0, 1, MPI_COMM_WORLD, sizes[i], i);
    }
}

PROMISE(one_range_serves_several_delta_sends) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request[64];
            for (int r = 1; r < ranks; r++) {
                MPIX_Delta_send_begin(out, sizes[i], MPI_BYTE, r, 1, MPI_COMM_WORLD, &request[2 * r - 2]);
                MPIX_Delta_send_begin(out, sizes[i], MPI_BYTE, r, 2, MPI_COMM_WORLD, &request[2 * r - 1]);
            }
            for (int at = 0; at < sizes[i]; at += 1000)
                produce(out, at, at + 1000 < sizes[i] ? at + 1000 : sizes[i], i);
            for (int k = 0; k < 2 * ranks - 2; k++) MPIX_Delta_send_end(&request[k]);
            MPI_Waitall(2 * ranks - 2, request, MPI_STATUSES_IGNORE);
        } else {
            receive(0, 2, MPI_COMM_WORLD, sizes[i], i);
            receive(0, 1, MPI_COMM_WORLD, sizes[i], i);
        }
    }
}

PROMISE(overlapping_buffers_share_their_ranges) {
    enum { N = 100000, SHIFT = 30000 };
    if (rank == 0) {
        MPI_Request request[2];
        MPIX_Delta_send_begin(out, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPIX_Delta_send_begin(out + SHIFT, N, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[1]);
        for (int at = 0; at < N + SHIFT; at += 1300) produce(out, at, at + 1300 < N + SHIFT ? at + 1300 : N + SHIFT, 5);
        MPIX_Delta_send_end(&request[1]);
        MPIX_Delta_send_end(&request[0]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        receive(0, 1, MPI_COMM_WORLD, N, 5);
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int good = 1;
        for (int i = 0; i < N; i++) good &= in[i] == byte_of(5, SHIFT + i);
        CHECK(good);
    }
}

PROMISE(a_range_may_cover_two_neighbouring_buffers) {
    enum { N = 50000 };
    if (rank == 0) {
        MPI_Request request[2];
        MPIX_Delta_send_begin(out, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPIX_Delta_send_begin(out + N, N, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[1]);
        for (int at = 0; at < 2 * N; at += 3000) produce(out, at, at + 3000 < 2 * N ? at + 3000 : 2 * N, 6);
        MPIX_Delta_send_end(&request[0]);
        MPIX_Delta_send_end(&request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        receive(0, 1, MPI_COMM_WORLD, N, 6);
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int good = 1;
        for (int i = 0; i < N; i++) good &= in[i] == byte_of(6, N + i);
        CHECK(good);
    }
}

PROMISE(a_delta_send_may_end_shorter_than_it_began) {
    for (int i = 0; i < SIZES; i++)
        for (int declare = 0; declare < 2; declare++)
            for (int probed = 0; probed < 2; probed++) {
                int bytes = sizes[i];
                if (rank == 0) {
                    MPI_Request request;
                    MPIX_Delta_send_begin(out, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    if (declare)
                        for (int at = 0; at < bytes; at += 900)
                            produce(out, at, at + 900 < bytes ? at + 900 : bytes, i);
                    else
                        fill(out, bytes, i);
                    MPIX_Delta_send_end_count(bytes, &request);
                    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
                }
                if (rank == 1) {
                    MPI_Status status;
                    if (probed) {
                        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                        CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 1 && count_of(&status, MPI_BYTE) >= bytes);
                    }
                    receive(0, 1, MPI_COMM_WORLD, bytes, i);
                }
            }
}

/* Hole 14: of the receive buffer, what is beyond the message and a first fragment stays as it was. */
PROMISE(bytes_beyond_a_short_variable_message_stay) {
    if (rank == 0) {
        MPI_Request request;
        MPIX_Delta_send_begin(out, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        produce(out, 0, 10, 3);
        MPIX_Delta_send_end_count(10, &request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        memset(in, 0xEE, LARGEST);
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(in, 10, 3) && all_are(in + 4032, LARGEST - 4032, 0xEE));
    }
}

PROMISE(every_kind_of_receive_takes_a_delta_send) {
    for (int variable = 0; variable < 2; variable++)
        for (int kind = 0; kind < 8; kind++) {
            int bytes = variable ? 60000 : 70000;
            if (rank == 0) {
                MPI_Request request;
                if (kind % 2) hear(1);
                MPIX_Delta_send_begin(out, 70000, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
                for (int at = 0; at < bytes; at += 5000) produce(out, at, at + 5000, kind);
                if (variable)
                    MPIX_Delta_send_end_count(bytes, &request);
                else
                    MPIX_Delta_send_end(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            if (rank == 1) {
                MPI_Status status;
                MPI_Request request;
                MPI_Message message;
                int flag = 0, at;
                if (kind == 1) tell(0);
                memset(in, 0, LARGEST);
                switch (kind) {
                case 0:
                case 1:
                    MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                    break;
                case 2:
                case 3:
                    MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                    if (kind == 3) tell(0);
                    MPI_Wait(&request, &status);
                    break;
                case 4:
                    MPI_Irecv(in, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
                    while (!flag) MPI_Testany(1, &request, &at, &flag, &status);
                    break;
                case 5:
                    MPI_Recv_init(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
                    MPI_Start(&request);
                    tell(0);
                    MPI_Wait(&request, &status);
                    MPI_Request_free(&request);
                    break;
                case 6:
                    MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, &status);
                    MPI_Imrecv(in, LARGEST, MPI_BYTE, &message, &request);
                    MPI_Wait(&request, &status);
                    break;
                case 7:
                    MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 9999, in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
                    break;
                }
                CHECK(status_is(&status, 0, 2, bytes) && holds(in, bytes, kind));
            }
        }
}

PROMISE(several_delta_sends_are_open_at_once) {
    enum { MANY = 8, N = 40000 };
    if (rank == 0) {
        MPI_Request request[MANY];
        int left = MANY, flag, at;
        unsigned char *each = malloc(MANY * N);
        for (int k = 0; k < MANY; k++)
            MPIX_Delta_send_begin(each + k * N, N, MPI_BYTE, 1, k, MPI_COMM_WORLD, &request[k]);
        for (int begin = 0; begin < N; begin += 2000)
            for (int k = 0; k < MANY; k++) produce(each + k * N, begin, begin + 2000, k);
        for (int k = MANY - 1; k >= 0; k--) MPIX_Delta_send_end(&request[k]);
        while (left) {
            MPI_Testany(MANY, request, &at, &flag, MPI_STATUS_IGNORE);
            if (flag && at != MPI_UNDEFINED) left--;
        }
        free(each);
    }
    if (rank == 1)
        for (int k = MANY - 1; k >= 0; k--) receive(0, k, MPI_COMM_WORLD, N, k);
}

PROMISE(other_messages_pass_while_a_delta_send_is_open) {
    if (rank == 0) {
        MPI_Request request;
        unsigned char *other = malloc(70000);
        MPIX_Delta_send_begin(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        produce(out, 0, 30000, 1);
        fill(other, 70000, 2), MPI_Send(other, 70000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        hear(1);
        produce(out, 30000, 70000, 1);
        MPIX_Delta_send_end(&request);
        fill(other, 70000, 3), MPI_Send(other, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        free(other);
    }
    if (rank == 1) {
        receive(0, 2, MPI_COMM_WORLD, 70000, 2);
        tell(0);
        receive(0, 1, MPI_COMM_WORLD, 70000, 1);
        receive(0, 1, MPI_COMM_WORLD, 70000, 3);
    }
}

PROMISE(delta_sends_of_one_tag_keep_their_order) {
    for (int i = 0; i < 3 * SIZES; i++) {
        int bytes = sizes[i * 3 % SIZES];
        if (rank == 0) {
            if (i % 3)
                send_in_pieces(out, bytes, 1777, i % 3, 1, 1, MPI_COMM_WORLD, i);
            else
                fill(out, bytes, i), MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
        if (rank == 1) receive(0, 1, MPI_COMM_WORLD, bytes, i);
    }
}

PROMISE(a_delta_send_on_any_communicator) {
    MPI_Comm comm[3], part;
    int side = rank % 2, me;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - side, 12, &comm[2]);
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < 2; k++) {
            MPI_Comm_rank(comm[k], &me);
            if (me == 0) send_in_pieces(out, sizes[i], 1777, 0, 1, 1, comm[k], i);
            if (me == 1) receive(0, 1, comm[k], sizes[i], i);
        }
        if (rank == 0) send_in_pieces(out, sizes[i], 1777, 2, 0, 1, comm[2], i);
        if (rank == 1) receive(0, 1, comm[2], sizes[i], i);
    }
    for (int k = 0; k < 3; k++) MPI_Comm_free(&comm[k]);
    MPI_Comm_free(&part);
}

PROMISE(a_delta_send_to_oneself_and_to_no_process) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Request request[2];
        MPI_Status status;
        memset(in, 0, LARGEST);
        MPI_Irecv(in, LARGEST, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request[0]);
        MPIX_Delta_send_begin(out, sizes[i], MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request[1]);
        for (int at = 0; at < sizes[i]; at += 2000) produce(out, at, at + 2000 < sizes[i] ? at + 2000 : sizes[i], i);
        MPIX_Delta_send_end(&request[1]);
        MPI_Wait(&request[0], &status);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        CHECK(status_is(&status, rank, 1, sizes[i]) && holds(in, sizes[i], i));
        send_in_pieces(out, sizes[i], 2000, 0, MPI_PROC_NULL, 1, MPI_COMM_WORLD, i);
    }
}

PROMISE(a_delta_send_of_contiguous_derived_types) {
    MPI_Datatype row;
    enum { ROW = 125, ROWS = 200 };
    double *matrix = malloc(ROW * ROWS * sizeof *matrix);
    MPI_Type_contiguous(ROW, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    for (int rows = ROWS; rows > 0; rows -= 67) {
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(matrix, ROWS, row, 1, 1, MPI_COMM_WORLD, &request);
            for (int r = 0; r < rows; r++) {
                for (int i = 0; i < ROW; i++) matrix[r * ROW + i] = r * 1000 + i;
                MPIX_Delta_send_data(matrix + r * ROW, ROW * sizeof *matrix);
            }
            if (rows == ROWS)
                MPIX_Delta_send_end(&request);
            else
                MPIX_Delta_send_end_count(rows, &request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            int good = 1;
            MPI_Recv(matrix, ROWS * ROW, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(count_of(&status, row) == rows);
            for (int i = 0; i < rows * ROW; i++) good &= matrix[i] == i / ROW * 1000 + i % ROW;
            CHECK(good);
        }
    }
    MPI_Type_free(&row);
    free(matrix);
}

PROMISE(a_delta_send_of_a_strided_type) {
    enum { N = 12000 };
    MPI_Datatype every_other;
    double *memory = malloc(2 * N * sizeof *memory);
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    for (int both = 0; both < 2; both++) {
        for (int i = 0; i < 2 * N; i++) memory[i] = -1;
        if (rank == 0) {
            MPI_Request request;
            MPIX_Delta_send_begin(memory, 1, every_other, 1, 1, MPI_COMM_WORLD, &request);
            for (int i = 0; i < 2 * N; i++) memory[i] = i;
            MPIX_Delta_send_end(&request);
            MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            int good = 1;
            MPI_Recv(memory, both ? 1 : N, both ? every_other : MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < (both ? 2 * N : N); i++) good &= memory[i] == (both ? (i % 2 ? -1 : i) : 2 * i);
            CHECK(good);
        }
    }
    MPI_Type_free(&every_other);
    free(memory);
}

PROMISE(a_strided_receive_takes_a_delta_send) {
    enum { N = 20000 };
    MPI_Datatype every_other;
    int *memory = malloc(2 * N * sizeof *memory);
    MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    if (rank == 0) {
        MPI_Request request;
        MPIX_Delta_send_begin(memory, N, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        for (int i = 0; i < N; i += 100) {
            for (int k = i; k < i + 100; k++) memory[k] = k;
            MPIX_Delta_send_data(memory + i, 100 * sizeof *memory);
        }
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        int good = 1;
        memset(memory, 0xFF, 2 * N * sizeof *memory);
        MPI_Recv(memory, 1, every_other, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2 * N; i++) good &= memory[i] == (i % 2 ? -1 : i / 2);
        CHECK(good);
    }
    MPI_Type_free(&every_other);
    free(memory);
}

PROMISE(a_truncated_delta_send_raises_the_receivers_error) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 0; k < 3; k++) {
        if (rank == 0) send_in_pieces(out, 70000, 1000, 0, 1, 1, MPI_COMM_WORLD, 1);
        if (rank == 1) {
            static const int room[] = {100, 5000, 69999};
            MPI_Status status;
            int code = MPI_Recv(in, room[k], MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(error_class(code) == MPI_ERR_TRUNCATE);
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

PROMISE(an_ended_delta_send_is_a_request_like_any_other) {
    for (int kind = 0; kind < 6; kind++) {
        if (rank == 0) {
            MPI_Request request[2];
            MPI_Status status[2];
            int flag = 0, count, which[2], at;
            MPIX_Delta_send_begin(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[0]);
            produce(out, 0, 70000, kind);
            MPIX_Delta_send_end(&request[0]);
            fill(in, 70000, kind);
            MPI_Isend(in, 70000, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request[1]);
            switch (kind) {
            case 0:
                MPI_Waitall(2, request, status);
                break;
            case 1:
                while (!flag) MPI_Testall(2, request, &flag, status);
                break;
            case 2:
                MPI_Waitany(2, request, &at, status);
                MPI_Waitany(2, request, &at, status);
                break;
            case 3:
                while (count = 0, MPI_Waitsome(2, request, &count, which, status), count != MPI_UNDEFINED) continue;
                break;
            case 4:
                while (!flag) MPI_Request_get_status(request[0], &flag, status);
                CHECK(request[0] != MPI_REQUEST_NULL);
                MPI_Wait(&request[0], status);
                MPI_Wait(&request[1], status);
                break;
            case 5:
                MPI_Request_free(&request[0]);
                MPI_Wait(&request[1], status);
                break;
            }
            CHECK(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
            hear(1); /* a freed send's buffer */
        }
        if (rank == 1) {
            receive(0, 1, MPI_COMM_WORLD, 70000, kind);
            receive(0, 2, MPI_COMM_WORLD, 70000, kind);
            tell(0);
        }
    }
}

PROMISE(a_request_of_a_delta_send_may_be_copied) {
    if (rank == 0) {
        MPI_Request request, copy;
        MPIX_Delta_send_begin(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        produce(out, 0, 40000, 4);
        copy = request;
        produce(out, 40000, 70000, 4);
        MPIX_Delta_send_end(&copy);
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    }
    if (rank == 1) receive(0, 1, MPI_COMM_WORLD, 70000, 4);
}

PROMISE(an_open_delta_send_crosses_calls_that_block) {
    MPI_Win window;
    int exposed = 0;
    MPI_Win_create(&exposed, sizeof exposed, sizeof exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < SIZES; i++) {
        MPI_Request request;
        MPI_Comm comm;
        if (rank == 0) {
            MPIX_Delta_send_begin(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            produce(out, 0, sizes[i] / 2, i);
        }
        if (rank == 1) MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Win_fence(0, window);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            produce(out, sizes[i] / 2, sizes[i], i);
            MPIX_Delta_send_end(&request);
        }
        MPI_Win_fence(0, window);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) CHECK(holds(in, sizes[i], i));
    }
    MPI_Win_free(&window);
}

#if MPI_VERSION >= 4
PROMISE(delta_calls_with_large_counts) {
    if (rank == 0) {
        MPI_Request request;
        MPIX_Delta_send_begin_c(out, LARGEST, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        produce(out, 0, 70000, 4);
        MPIX_Delta_send_end_count_c(70000, &request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        fill(out, 70000, 5), MPI_Send(out, 70000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Status status;
        receive(0, 1, MPI_COMM_WORLD, 70000, 4);
        MPIX_Delta_recv_c(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, 1, 70000));
        MPIX_Delta_recv_end(in, MPI_STATUS_IGNORE);
        CHECK(holds(in, 70000, 5));
    }
}
#endif
