/* Truncation and error handlers: who is told, that nobody hangs, and that what comes after is right. */
#include "promise.h"

static MPI_Comm called_with;
static int called_class, calls;
static void handler(MPI_Comm *comm, int *code, ...) {
    called_with = *comm;
    called_class = error_class(*code);
    calls++;
}

static const int large[] = {97, 4032, 4033, 20000, 70000, 300000};
static const int capacity[] = {0, 10, 95, 96, 128, 4031, 4032, 5000};
enum { LARGE = 6, CAPACITIES = 8 };

PROMISE(a_truncated_receive_returns_its_error) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < LARGE; i++)
        for (int k = 0; k < CAPACITIES && capacity[k] < large[i]; k++) {
            if (rank == 0) {
                fill(out, large[i], i);
                MPI_Send(out, large[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                fill(out, large[i], i + 50);
                MPI_Send(out, large[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            }
            if (rank == 1) {
                MPI_Status status;
                int code = MPI_Recv(in, capacity[k], MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                CHECK(error_class(code) == MPI_ERR_TRUNCATE);
                CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 1);
                code = MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                CHECK(code == MPI_SUCCESS && status_is(&status, 0, 1, large[i]) && holds(in, large[i], i + 50));
            }
        }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

PROMISE(truncation_calls_the_communicators_handler) {
    MPI_Comm comm;
    MPI_Errhandler mine;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                            mine); /* where MPICH 4.0.2's MPI_Wait raises what it should raise on comm */
    MPI_Errhandler_free(&mine);
    for (int i = 0; i < LARGE; i++)
        for (int wait = 0; wait < 3; wait++) {
            if (rank == 0) fill(out, large[i], i), MPI_Send(out, large[i], MPI_BYTE, 1, 1, comm);
            if (rank == 1) {
                MPI_Request request;
                MPI_Status status;
                int flag = 0;
                calls = 0, called_with = MPI_COMM_NULL, called_class = MPI_SUCCESS;
                if (wait == 0)
                    MPI_Recv(in, 96, MPI_BYTE, 0, 1, comm, &status);
                else {
                    MPI_Irecv(in, 96, MPI_BYTE, 0, 1, comm, &request);
                    if (wait == 1)
                        MPI_Wait(&request, &status);
                    else
                        while (!flag && !calls) MPI_Test(&request, &flag, &status);
                }
                CHECK(calls == 1 && called_class == MPI_ERR_TRUNCATE);
                if (wait == 0) CHECK(called_with == comm);
            }
        }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

PROMISE(truncation_in_a_waitall_is_told_in_its_status) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Request request[3];
        MPI_Status status[3];
        unsigned char *each[3];
        for (int i = 0; i < 3; i++) {
            each[i] = malloc(LARGEST);
            MPI_Irecv(each[i], i == 1 ? 200 : LARGEST, MPI_BYTE, 0, i, MPI_COMM_WORLD, &request[i]);
        }
        tell(0);
        int code = MPI_Waitall(3, request, status);
        CHECK(error_class(code) == MPI_ERR_IN_STATUS);
        CHECK(error_class(status[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
        CHECK(status[0].MPI_ERROR == MPI_SUCCESS || status[0].MPI_ERROR == MPI_ERR_PENDING);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        CHECK(holds(each[0], 70000, 0) && holds(each[2], 70000, 2));
        for (int i = 0; i < 3; i++) free(each[i]);
    }
    if (rank == 0) {
        hear(1);
        for (int i = 0; i < 3; i++) fill(out, 70000, i), MPI_Send(out, 70000, MPI_BYTE, 1, i, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

PROMISE(a_truncated_probed_message_returns_its_error) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < LARGE; i++)
        for (int matched = 0; matched < 2; matched++) {
            if (rank == 0) fill(out, large[i], i), MPI_Send(out, large[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            if (rank == 1) {
                MPI_Status status;
                MPI_Message message;
                int code;
                if (matched) {
                    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
                    code = MPI_Mrecv(in, 90, MPI_BYTE, &message, &status);
                } else {
                    MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
                    code = MPI_Recv(in, 90, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                }
                CHECK(error_class(code) == MPI_ERR_TRUNCATE);
            }
        }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

PROMISE(wrong_arguments_return_the_librarys_own_errors) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Request request;
    MPI_Status status;
    CHECK(error_class(MPI_Send(out, 70000, MPI_BYTE, ranks + 5, 1, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    CHECK(error_class(MPI_Recv(in, 70000, MPI_BYTE, ranks + 5, 1, MPI_COMM_WORLD, &status)) == MPI_ERR_RANK);
    CHECK(error_class(MPI_Send(out, -1, MPI_BYTE, 0, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(error_class(MPI_Isend(out, 70000, MPI_BYTE, 0, -5, MPI_COMM_WORLD, &request)) == MPI_ERR_TAG);
    CHECK(error_class(MPI_Irecv(in, 70000, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_TYPE);
    CHECK(error_class(MPI_Send(out, 70000, MPI_BYTE, 0, 1, MPI_COMM_NULL)) == MPI_ERR_COMM);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
