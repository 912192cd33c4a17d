/* The interpreter's calls as a Fortran program makes them: to the library's mpi_send_ and its like (the names as gfortran forms them), with
 * everything by reference, handles and statuses as integers, the first index 1, and the error code last. Calls that are not here stay C's. */
#ifndef STRETTO_TESTS_FUZZ_FORTRAN_H
#define STRETTO_TESTS_FUZZ_FORTRAN_H

#include <mpi.h>

enum { MOST_REQUESTS = 64, STATUS_INTEGERS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

typedef const MPI_Fint *in;
typedef MPI_Fint *out;

static int in_fortran; /* does this program call so? */

/* MPI_STATUS_IGNORE is a variable of Fortran's own. */
#ifdef OPEN_MPI
extern MPI_Fint mpi_fortran_status_ignore_[];
#define F_STATUS_IGNORE mpi_fortran_status_ignore_
#else
#define F_STATUS_IGNORE MPI_F_STATUS_IGNORE
#endif

#define F_STATUS(status)                            \
    MPI_Fint integers[STATUS_INTEGERS] = {0}, code; \
    out f_status = (status) == MPI_STATUS_IGNORE ? F_STATUS_IGNORE : integers;
#define TELL_STATUS(status) \
    if ((status) != MPI_STATUS_IGNORE) MPI_Status_f2c(integers, status);

#define BLOCKING_SEND(Name, name)                                                                             \
    void mpi_##name##_(const void *, in count, in type, in peer, in tag, in comm, out code);                  \
    static int F_##Name(const void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
        MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm), code;                              \
        mpi_##name##_(memory, &count, &f_type, &peer, &tag, &f_comm, &code);                                  \
        return code;                                                                                          \
    }
BLOCKING_SEND(Send, send)
BLOCKING_SEND(Ssend, ssend)
BLOCKING_SEND(Bsend, bsend)
BLOCKING_SEND(Rsend, rsend)

#define WITH_REQUEST(Name, name)                                                                            \
    void mpi_##name##_(const void *, in count, in type, in peer, in tag, in comm, out request, out code);   \
    static int F_##Name(const void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                        MPI_Request *request) {                                                             \
        MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm), f_request = 0, code;             \
        mpi_##name##_(memory, &count, &f_type, &peer, &tag, &f_comm, &f_request, &code);                    \
        *request = MPI_Request_f2c(f_request);                                                              \
        return code;                                                                                        \
    }
WITH_REQUEST(Isend, isend)
WITH_REQUEST(Issend, issend)
WITH_REQUEST(Ibsend, ibsend)
WITH_REQUEST(Irsend, irsend)
WITH_REQUEST(Send_init, send_init)
WITH_REQUEST(Ssend_init, ssend_init)
WITH_REQUEST(Bsend_init, bsend_init)
WITH_REQUEST(Rsend_init, rsend_init)
WITH_REQUEST(Irecv, irecv)
WITH_REQUEST(Recv_init, recv_init)

void mpi_recv_(void *, in count, in type, in source, in tag, in comm, out status, out code);
static int F_Recv(void *memory, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm);
    mpi_recv_(memory, &count, &f_type, &source, &tag, &f_comm, f_status, &code);
    TELL_STATUS(status)
    return code;
}

void mpi_sendrecv_(const void *, in count, in type, in to, in tag, void *, in received, in received_type, in from,
                   in received_tag, in comm, out status, out code);
static int F_Sendrecv(const void *sent, int count, MPI_Datatype type, int to, int tag, void *memory, int received,
                      MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_type = MPI_Type_c2f(type), f_received_type = MPI_Type_c2f(received_type), f_comm = MPI_Comm_c2f(comm);
    mpi_sendrecv_(sent, &count, &f_type, &to, &tag, memory, &received, &f_received_type, &from, &received_tag, &f_comm,
                  f_status, &code);
    TELL_STATUS(status)
    return code;
}

void mpi_sendrecv_replace_(void *, in count, in type, in to, in tag, in from, in received_tag, in comm, out status,
                           out code);
static int F_Sendrecv_replace(void *memory, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,
                              MPI_Comm comm, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm);
    mpi_sendrecv_replace_(memory, &count, &f_type, &to, &tag, &from, &received_tag, &f_comm, f_status, &code);
    TELL_STATUS(status)
    return code;
}

void mpi_probe_(in source, in tag, in comm, out status, out code);
static int F_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_comm = MPI_Comm_c2f(comm);
    mpi_probe_(&source, &tag, &f_comm, f_status, &code);
    TELL_STATUS(status)
    return code;
}

void mpi_iprobe_(in source, in tag, in comm, out flag, out status, out code);
static int F_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_comm = MPI_Comm_c2f(comm);
    mpi_iprobe_(&source, &tag, &f_comm, flag, f_status, &code);
    if (*flag) TELL_STATUS(status)
    return code;
}

void mpi_mprobe_(in source, in tag, in comm, out message, out status, out code);
static int F_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_comm = MPI_Comm_c2f(comm), f_message = 0;
    mpi_mprobe_(&source, &tag, &f_comm, &f_message, f_status, &code);
    *message = MPI_Message_f2c(f_message);
    TELL_STATUS(status)
    return code;
}

void mpi_improbe_(in source, in tag, in comm, out flag, out message, out status, out code);
static int F_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_comm = MPI_Comm_c2f(comm), f_message = 0;
    mpi_improbe_(&source, &tag, &f_comm, flag, &f_message, f_status, &code);
    if (*flag) {
        *message = MPI_Message_f2c(f_message);
        TELL_STATUS(status)
    }
    return code;
}

void mpi_mrecv_(void *, in count, in type, out message, out status, out code);
static int F_Mrecv(void *memory, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_type = MPI_Type_c2f(type), f_message = MPI_Message_c2f(*message);
    mpi_mrecv_(memory, &count, &f_type, &f_message, f_status, &code);
    *message = MPI_Message_f2c(f_message);
    TELL_STATUS(status)
    return code;
}

void mpi_imrecv_(void *, in count, in type, out message, out request, out code);
static int F_Imrecv(void *memory, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    MPI_Fint f_type = MPI_Type_c2f(type), f_message = MPI_Message_c2f(*message), f_request = 0, code;
    mpi_imrecv_(memory, &count, &f_type, &f_message, &f_request, &code);
    *message = MPI_Message_f2c(f_message);
    *request = MPI_Request_f2c(f_request);
    return code;
}

/* What has an error may keep its handle, or not: it is not asked for. */
#define OF_ONE_REQUEST(Name, name)                            \
    void mpi_##name##_(out request, out code);                \
    static int F_##Name(MPI_Request *request) {               \
        MPI_Fint f_request = MPI_Request_c2f(*request), code; \
        mpi_##name##_(&f_request, &code);                     \
        *request = MPI_Request_f2c(f_request);                \
        return code;                                          \
    }
OF_ONE_REQUEST(Start, start)
OF_ONE_REQUEST(Request_free, request_free)
OF_ONE_REQUEST(Cancel, cancel)

void mpi_wait_(out request, out status, out code);
static int F_Wait(MPI_Request *request, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_request = MPI_Request_c2f(*request);
    mpi_wait_(&f_request, f_status, &code);
    *request = code ? MPI_REQUEST_NULL : MPI_Request_f2c(f_request);
    TELL_STATUS(status)
    return code;
}

void mpi_test_(out request, out flag, out status, out code);
static int F_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_request = MPI_Request_c2f(*request);
    mpi_test_(&f_request, flag, f_status, &code);
    *request = code ? MPI_REQUEST_NULL : MPI_Request_f2c(f_request);
    if (*flag) TELL_STATUS(status)
    return code;
}

void mpi_request_get_status_(in request, out flag, out status, out code);
static int F_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_request = MPI_Request_c2f(request);
    mpi_request_get_status_(&f_request, flag, f_status, &code);
    if (*flag) TELL_STATUS(status)
    return code;
}

static void to_fortran(int n, const MPI_Request *request, MPI_Fint *integers) {
    for (int i = 0; i < n; i++) integers[i] = MPI_Request_c2f(request[i]);
}
static void from_fortran(int n, const MPI_Fint *integers, MPI_Request *request) {
    for (int i = 0; i < n; i++) request[i] = MPI_Request_f2c(integers[i]);
}
static void statuses_from_fortran(int n, MPI_Fint (*integers)[STATUS_INTEGERS], MPI_Status *status) {
    for (int i = 0; i < n; i++) MPI_Status_f2c(integers[i], &status[i]);
}

void mpi_startall_(in n, out requests, out code);
static int F_Startall(int n, MPI_Request *request) {
    MPI_Fint requests[MOST_REQUESTS], code;
    to_fortran(n, request, requests);
    mpi_startall_(&n, requests, &code);
    from_fortran(n, requests, request);
    return code;
}

void mpi_waitall_(in n, out requests, MPI_Fint (*statuses)[STATUS_INTEGERS], out code);
static int F_Waitall(int n, MPI_Request *request, MPI_Status *status) {
    MPI_Fint requests[MOST_REQUESTS], statuses[MOST_REQUESTS][STATUS_INTEGERS] = {{0}}, code;
    to_fortran(n, request, requests);
    mpi_waitall_(&n, requests, statuses, &code);
    from_fortran(n, requests, request);
    statuses_from_fortran(n, statuses, status);
    return code;
}

void mpi_testall_(in n, out requests, out flag, MPI_Fint (*statuses)[STATUS_INTEGERS], out code);
static int F_Testall(int n, MPI_Request *request, int *flag, MPI_Status *status) {
    MPI_Fint requests[MOST_REQUESTS], statuses[MOST_REQUESTS][STATUS_INTEGERS] = {{0}}, code;
    to_fortran(n, request, requests);
    mpi_testall_(&n, requests, flag, statuses, &code);
    from_fortran(n, requests, request);
    if (*flag || code) statuses_from_fortran(n, statuses, status);
    return code;
}

/* MPICH leaves the index alone where a request ended in an error: which it is, its handle tells. */
static void find_ended(int n, const MPI_Request *before, const MPI_Fint *after, int code, MPI_Fint *index) {
    for (int i = 0; code && *index == MPI_UNDEFINED && i < n; i++)
        if (before[i] != MPI_REQUEST_NULL && MPI_Request_f2c(after[i]) == MPI_REQUEST_NULL) *index = i + 1;
}

void mpi_waitany_(in n, out requests, out index, out status, out code);
static int F_Waitany(int n, MPI_Request *request, int *index, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint requests[MOST_REQUESTS];
    to_fortran(n, request, requests);
    *index = MPI_UNDEFINED; /* which an error may leave */
    mpi_waitany_(&n, requests, index, f_status, &code);
    find_ended(n, request, requests, code, index);
    from_fortran(n, requests, request);
    if (*index != MPI_UNDEFINED) --*index;
    TELL_STATUS(status)
    return code;
}

void mpi_testany_(in n, out requests, out index, out flag, out status, out code);
static int F_Testany(int n, MPI_Request *request, int *index, int *flag, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint requests[MOST_REQUESTS];
    to_fortran(n, request, requests);
    *index = MPI_UNDEFINED; /* which an error may leave */
    mpi_testany_(&n, requests, index, flag, f_status, &code);
    find_ended(n, request, requests, code, index);
    from_fortran(n, requests, request);
    if (*index != MPI_UNDEFINED) --*index;
    if (*flag) TELL_STATUS(status)
    return code;
}

#define SOME(Name, name)                                                                                           \
    void mpi_##name##_(in n, out requests, out some, out indices, MPI_Fint(*statuses)[STATUS_INTEGERS], out code); \
    static int F_##Name(int n, MPI_Request *request, int *some, int *which, MPI_Status *status) {                  \
        MPI_Fint requests[MOST_REQUESTS], statuses[MOST_REQUESTS][STATUS_INTEGERS] = {{0}}, code;                  \
        to_fortran(n, request, requests);                                                                          \
        mpi_##name##_(&n, requests, some, which, statuses, &code);                                                 \
        from_fortran(n, requests, request);                                                                        \
        for (int i = 0; *some != MPI_UNDEFINED && i < *some; i++) which[i]--;                                      \
        if (*some != MPI_UNDEFINED) statuses_from_fortran(*some, statuses, status);                                \
        return code;                                                                                               \
    }
SOME(Waitsome, waitsome)
SOME(Testsome, testsome)

void mpi_barrier_(in comm, out code);
static int F_Barrier(MPI_Comm comm) {
    MPI_Fint f_comm = MPI_Comm_c2f(comm), code;
    mpi_barrier_(&f_comm, &code);
    return code;
}

void mpi_bcast_(void *, in count, in type, in root, in comm, out code);
static int F_Bcast(void *memory, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm), code;
    mpi_bcast_(memory, &count, &f_type, &root, &f_comm, &code);
    return code;
}

void mpi_alltoall_(const void *, in count, in type, void *, in received, in received_type, in comm, out code);
static int F_Alltoall(const void *sent, int count, MPI_Datatype type, void *memory, int received,
                      MPI_Datatype received_type, MPI_Comm comm) {
    MPI_Fint f_type = MPI_Type_c2f(type), f_received_type = MPI_Type_c2f(received_type), f_comm = MPI_Comm_c2f(comm);
    MPI_Fint code;
    mpi_alltoall_(sent, &count, &f_type, memory, &received, &f_received_type, &f_comm, &code);
    return code;
}

void mpi_comm_dup_(in comm, out twin, out code);
static int F_Comm_dup(MPI_Comm comm, MPI_Comm *twin) {
    MPI_Fint f_comm = MPI_Comm_c2f(comm), f_twin, code;
    mpi_comm_dup_(&f_comm, &f_twin, &code);
    *twin = MPI_Comm_f2c(f_twin);
    return code;
}

#define END_OF_COMM(Name, name)                      \
    void mpi_##name##_(out comm, out code);          \
    static int F_##Name(MPI_Comm *comm) {            \
        MPI_Fint f_comm = MPI_Comm_c2f(*comm), code; \
        mpi_##name##_(&f_comm, &code);               \
        *comm = MPI_Comm_f2c(f_comm);                \
        return code;                                 \
    }
END_OF_COMM(Comm_free, comm_free)
END_OF_COMM(Comm_disconnect, comm_disconnect)

/* A Fortran program also begins and ends in Fortran. */
void mpi_init_(out code);
void mpi_init_thread_(in required, out provided, out code);
void mpi_finalize_(out code);
static int F_Init(void *argc, void *argv) {
    MPI_Fint code;
    (void)argc, (void)argv;
    mpi_init_(&code);
    return code;
}
static int F_Init_thread(void *argc, void *argv, int required, int *provided) {
    MPI_Fint code;
    (void)argc, (void)argv;
    mpi_init_thread_(&required, provided, &code);
    return code;
}
static int F_Finalize(void) {
    MPI_Fint code;
    mpi_finalize_(&code);
    return code;
}

#ifndef STRETTO_PLAIN
void mpix_delta_send_begin_(const void *, in count, in type, in peer, in tag, in comm, out request, out code);
static int F_Delta_send_begin(const void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                              MPI_Request *request) {
    MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm), f_request = 0, code;
    mpix_delta_send_begin_(memory, &count, &f_type, &peer, &tag, &f_comm, &f_request, &code);
    *request = MPI_Request_f2c(f_request);
    return code;
}

void mpix_delta_send_end_(out request, out code);
static int F_Delta_send_end(MPI_Request *request) {
    MPI_Fint f_request = MPI_Request_c2f(*request), code;
    mpix_delta_send_end_(&f_request, &code);
    *request = MPI_Request_f2c(f_request);
    return code;
}

void mpix_delta_send_end_count_(in count, out request, out code);
static int F_Delta_send_end_count(int count, MPI_Request *request) {
    MPI_Fint f_request = MPI_Request_c2f(*request), code;
    mpix_delta_send_end_count_(&count, &f_request, &code);
    *request = MPI_Request_f2c(f_request);
    return code;
}

void mpix_delta_wait_(out request, out status, out code);
static int F_Delta_wait(MPI_Request *request, MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_request = MPI_Request_c2f(*request);
    mpix_delta_wait_(&f_request, f_status, &code);
    *request = code ? MPI_REQUEST_NULL : MPI_Request_f2c(f_request);
    TELL_STATUS(status)
    return code;
}

void mpix_delta_recv_(void *, in count, in type, in source, in tag, in comm, out status, out code);
static int F_Delta_recv(void *memory, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Status *status) {
    F_STATUS(status)
    MPI_Fint f_type = MPI_Type_c2f(type), f_comm = MPI_Comm_c2f(comm);
    mpix_delta_recv_(memory, &count, &f_type, &source, &tag, &f_comm, f_status, &code);
    TELL_STATUS(status)
    return code;
}

void mpix_delta_recv_end_(const void *, out status, out code);
static int F_Delta_recv_end(const void *memory, MPI_Status *status) {
    F_STATUS(status)
    mpix_delta_recv_end_(memory, f_status, &code);
    TELL_STATUS(status)
    return code;
}

#define EITHER_DELTA(name, ...) (in_fortran ? F_Delta_##name(__VA_ARGS__) : MPIX_Delta_##name(__VA_ARGS__))
#define MPIX_Delta_send_begin(...) EITHER_DELTA(send_begin, __VA_ARGS__)
#define MPIX_Delta_send_end(...) EITHER_DELTA(send_end, __VA_ARGS__)
#define MPIX_Delta_send_end_count(...) EITHER_DELTA(send_end_count, __VA_ARGS__)
#define MPIX_Delta_wait(...) EITHER_DELTA(wait, __VA_ARGS__)
#define MPIX_Delta_recv(...) EITHER_DELTA(recv, __VA_ARGS__)
#define MPIX_Delta_recv_end(...) EITHER_DELTA(recv_end, __VA_ARGS__)
#endif

#define EITHER(name, ...) (in_fortran ? F_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#define MPI_Send(...) EITHER(Send, __VA_ARGS__)
#define MPI_Ssend(...) EITHER(Ssend, __VA_ARGS__)
#define MPI_Bsend(...) EITHER(Bsend, __VA_ARGS__)
#define MPI_Rsend(...) EITHER(Rsend, __VA_ARGS__)
#define MPI_Isend(...) EITHER(Isend, __VA_ARGS__)
#define MPI_Issend(...) EITHER(Issend, __VA_ARGS__)
#define MPI_Ibsend(...) EITHER(Ibsend, __VA_ARGS__)
#define MPI_Irsend(...) EITHER(Irsend, __VA_ARGS__)
#define MPI_Send_init(...) EITHER(Send_init, __VA_ARGS__)
#define MPI_Ssend_init(...) EITHER(Ssend_init, __VA_ARGS__)
#define MPI_Bsend_init(...) EITHER(Bsend_init, __VA_ARGS__)
#define MPI_Rsend_init(...) EITHER(Rsend_init, __VA_ARGS__)
#define MPI_Recv(...) EITHER(Recv, __VA_ARGS__)
#define MPI_Irecv(...) EITHER(Irecv, __VA_ARGS__)
#define MPI_Recv_init(...) EITHER(Recv_init, __VA_ARGS__)
#define MPI_Sendrecv(...) EITHER(Sendrecv, __VA_ARGS__)
#define MPI_Sendrecv_replace(...) EITHER(Sendrecv_replace, __VA_ARGS__)
#define MPI_Probe(...) EITHER(Probe, __VA_ARGS__)
#define MPI_Iprobe(...) EITHER(Iprobe, __VA_ARGS__)
#define MPI_Mprobe(...) EITHER(Mprobe, __VA_ARGS__)
#define MPI_Improbe(...) EITHER(Improbe, __VA_ARGS__)
#define MPI_Mrecv(...) EITHER(Mrecv, __VA_ARGS__)
#define MPI_Imrecv(...) EITHER(Imrecv, __VA_ARGS__)
#define MPI_Start(...) EITHER(Start, __VA_ARGS__)
#define MPI_Startall(...) EITHER(Startall, __VA_ARGS__)
#define MPI_Request_free(...) EITHER(Request_free, __VA_ARGS__)
#define MPI_Cancel(...) EITHER(Cancel, __VA_ARGS__)
#define MPI_Wait(...) EITHER(Wait, __VA_ARGS__)
#define MPI_Test(...) EITHER(Test, __VA_ARGS__)
#define MPI_Request_get_status(...) EITHER(Request_get_status, __VA_ARGS__)
#define MPI_Waitall(...) EITHER(Waitall, __VA_ARGS__)
#define MPI_Testall(...) EITHER(Testall, __VA_ARGS__)
#define MPI_Waitany(...) EITHER(Waitany, __VA_ARGS__)
#define MPI_Testany(...) EITHER(Testany, __VA_ARGS__)
#define MPI_Waitsome(...) EITHER(Waitsome, __VA_ARGS__)
#define MPI_Testsome(...) EITHER(Testsome, __VA_ARGS__)
#define MPI_Barrier(...) EITHER(Barrier, __VA_ARGS__)
#define MPI_Bcast(...) EITHER(Bcast, __VA_ARGS__)
#define MPI_Alltoall(...) EITHER(Alltoall, __VA_ARGS__)
#define MPI_Comm_dup(...) EITHER(Comm_dup, __VA_ARGS__)
#define MPI_Comm_free(...) EITHER(Comm_free, __VA_ARGS__)
#define MPI_Comm_disconnect(...) EITHER(Comm_disconnect, __VA_ARGS__)
#define MPI_Init(...) EITHER(Init, __VA_ARGS__)
#define MPI_Init_thread(...) EITHER(Init_thread, __VA_ARGS__)
#define MPI_Finalize() (in_fortran ? F_Finalize() : MPI_Finalize())

#endif
