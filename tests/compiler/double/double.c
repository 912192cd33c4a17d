/* A double of MPI and of libstretto, for tests of the compiler alone: one process, nothing is sent.
 *
 * A send prints a hash of its message. One that was begun keeps what is said to be ready and compares it at its end: "written again" if it
 * has changed. A receive makes up its message; one that was begun hands out what is waited for, byte by byte, and the rest at its end. So a
 * program has the plain one's output exactly where what was ready was final, and what was read was waited for.
 *
 * At the end, on stderr: how many operations were begun, and how many bytes left (came) before their end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char ompi_mpi_double, ompi_mpi_comm_world, ompi_mpi_int, ompi_mpi_float, ompi_mpi_byte, ompi_mpi_comm_self;
char mpi_fortran_status_ignore_[24];

struct status {
    int source, tag, error, cancelled;
    size_t count;
};

enum { most = 64 };
static struct operation {
    const void *call;
    char *buf, *kept;
    size_t bytes, low, high; /* below low and from high on: ready, or there */
    int is_send, is_held, peer, tag, used;
    int64_t serial;
    int index; /* of its status */
} all[most];
static int64_t begun, early;

static void report(void) {
    fprintf(stderr, "double: %ld begun, %ld bytes early\n", (long)begun, (long)early);
}

static void fail(const char *what) {
    printf("double: %s\n", what);
    fflush(stdout);
    abort();
}

static unsigned hash(const char *bytes, size_t n) {
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; ++i) h = (h ^ (unsigned char)bytes[i]) * 16777619u;
    return h;
}

static size_t size(const void *type) {
    return type == &ompi_mpi_double ? 8 : type == &ompi_mpi_int || type == &ompi_mpi_float ? 4 : 1;
}

/* The message that comes from `source` with `tag`: doubles, so that sums are numbers. */
static char byte_of(size_t i, int source, int tag) {
    double value = (double)((i / 8 * 7 + (size_t)(source * 3 + tag)) % 1000);
    return ((char *)&value)[i % 8];
}

static int64_t open_one(void *call, const void *buf, size_t bytes, int is_send, int peer, int tag) {
    static int registered;
    if (!registered++) atexit(report);
    uint32_t *described = call;
    if (described[0] != 1) fail("the description of a call has another version");
    if (peer < 0 || bytes == 0) return 0;
    for (int i = 1; i < most; ++i) {
        if (all[i].used) continue;
        all[i] = (struct operation){call, (char *)buf, malloc(bytes), bytes, 0, bytes, is_send, 0, peer, tag, 1, begun};
        if (!is_send) memset((char *)buf, 0x55, bytes);
        begun++;
        return i;
    }
    fail("too many operations are open");
    return 0;
}

static void reach(int64_t handle, int64_t low, int64_t high) { /* [low, high) is ready, or needed */
    if (!handle) return;
    struct operation *one = &all[handle];
    if (!one->used) fail("a handle is used after its end");
    if (one->is_held && one->is_send) return;
    if (low < (int64_t)one->low) low = (int64_t)one->low;
    if (high > (int64_t)one->high) high = (int64_t)one->high;
    for (int64_t i = low; i < high; ++i) {
        if (one->is_send)
            one->kept[i] = one->buf[i];
        else
            one->buf[i] = byte_of(i, one->peer, one->tag);
        early++;
    }
}

void stretto_ready_below(int64_t handle, const void *buf, int64_t high) {
    reach(handle, 0, high);
    if (handle && high > (int64_t)all[handle].low && !all[handle].is_held)
        all[handle].low = high > (int64_t)all[handle].bytes ? (int64_t)all[handle].bytes : high;
}
void stretto_ready_above(int64_t handle, const void *buf, int64_t low) {
    reach(handle, low, INT64_MAX);
    if (low < 0) low = 0;
    if (handle && low < (int64_t)all[handle].high && !all[handle].is_held) all[handle].high = low;
}
void stretto_need_below(int64_t handle, void *buf, int64_t high) {
    reach(handle, 0, high);
    if (handle && high > (int64_t)all[handle].low)
        all[handle].low = high > (int64_t)all[handle].bytes ? (int64_t)all[handle].bytes : high;
}
void stretto_need_above(int64_t handle, void *buf, int64_t low) {
    reach(handle, low, INT64_MAX);
    if (low < 0) low = 0;
    if (handle && low < (int64_t)all[handle].high) all[handle].high = low;
}
/* Not kept apart: all below is handed out. */
void stretto_need(int64_t handle, void *buf, int64_t low, int64_t high) {
    stretto_need_below(handle, buf, high);
}

/* Of many lengths in turn. */
int64_t stretto_strip(int64_t handle) {
    static const int64_t lengths[] = {16384, 8, 100, 1, 4096, INT64_MAX, 777};
    static unsigned asked;
    return handle ? lengths[asked++ % (sizeof lengths / sizeof *lengths)] : INT64_MAX;
}

void stretto_hold_unless(int64_t handle, void *buf, int32_t ok) {
    if (!handle || ok) return;
    if (all[handle].is_send)
        all[handle].is_held = 1;
    else
        stretto_need_below(handle, buf, INT64_MAX);
}
void stretto_hold_if_overlap(int64_t handle, void *buf, const void *low, const void *high) {
    if (!handle) return;
    char *begin = all[handle].buf, *end = begin + all[handle].bytes;
    stretto_hold_unless(handle, buf, (char *)high <= begin || (char *)low >= end);
}

static int send(const void *buf, size_t bytes, int dest, int tag) {
    printf("send %zu bytes to %d, tag %d: %08x\n", bytes, dest, tag, dest < 0 ? 0 : hash(buf, bytes));
    return 0;
}

static void end_send(int64_t handle, const void *call, const void *buf, size_t bytes, int dest, int tag) {
    for (int i = 1; !handle && i < most; ++i)
        if (all[i].used && all[i].is_send && all[i].peer == dest) fail("a send is overtaken by one behind it");
    if (!handle) return;
    struct operation *one = &all[handle];
    if (!one->used || !one->is_send) fail("a send ends that is not open");
    for (int64_t i = 1; i < most; ++i)
        if (all[i].used && all[i].is_send && all[i].serial < one->serial)
            fail("a send ends before one that has begun before it");
    if (one->call != call || one->buf != buf || one->bytes != bytes || one->peer != dest || one->tag != tag)
        fail("a send ends with other arguments than it began with");
    for (size_t i = 0; i < bytes; ++i)
        if ((i < one->low || i >= one->high) && one->kept[i] != one->buf[i]) fail("what was ready was written again");
    free(one->kept);
    one->used = 0;
}

static int receive(void *buf, size_t bytes, int source, int tag, struct status *status) {
    for (size_t i = 0; source >= 0 && i < bytes; ++i) ((char *)buf)[i] = byte_of(i, source, tag);
    if (status) *status = (struct status){source, tag, 0, 0, bytes};
    return 0;
}

static void end_receive(int64_t handle, struct status *status) {
    if (!handle) return;
    struct operation *one = &all[handle];
    if (!one->used || one->is_send) fail("a receive ends that is not open");
    for (size_t i = one->low; i < one->high; ++i) one->buf[i] = byte_of(i, one->peer, one->tag);
    if (status) status[one->index] = (struct status){one->peer, one->tag, 0, 0, one->bytes};
    free(one->kept);
    one->used = 0;
}

static void none_open(const char *what) {
    for (int i = 1; i < most; ++i)
        if (all[i].used) fail(what);
}

/* --- C */

int MPI_Send(const void *buf, int n, void *type, int dest, int tag, void *comm) {
    none_open("MPI_Send while an operation is open");
    return send(buf, n * size(type), dest, tag);
}
int MPI_Isend(const void *buf, int n, void *type, int dest, int tag, void *comm, void **request) {
    none_open("MPI_Isend while an operation is open");
    *request = &ompi_mpi_byte;
    return send(buf, n * size(type), dest, tag);
}
/* A persistent send: its request is this. */
static struct persistent {
    const void *buf;
    size_t bytes;
    int dest, tag, is_begun;
} persistent[most];
static int persistents;

static int is_persistent(const void *request) {
    return (struct persistent *)request >= persistent && (struct persistent *)request < persistent + most;
}
int MPI_Send_init(const void *buf, int n, void *type, int dest, int tag, void *comm, void **request) {
    if (persistents == most) fail("too many persistent sends");
    persistent[persistents] = (struct persistent){buf, n * size(type), dest, tag, 0};
    *request = &persistent[persistents++];
    return 0;
}
int MPI_Start(void **request) {
    none_open("MPI_Start while an operation is open");
    struct persistent *one = *request;
    if (!is_persistent(one)) fail("MPI_Start of no persistent request");
    one->is_begun = 0;
    return send(one->buf, one->bytes, one->dest, one->tag);
}
int MPI_Startall(int n, void **requests) {
    for (int i = 0; i < n; ++i) MPI_Start(&requests[i]);
    return 0;
}
int MPI_Request_free(void **request) {
    *request = 0;
    return 0;
}
int64_t stretto_start_begin(void *call, const void *buf, int n, void **requests) {
    for (int i = 0; i < n; ++i) {
        struct persistent *one = requests[i];
        if (!is_persistent(one) || one->buf != buf || one->is_begun) continue;
        int64_t handle = open_one(call, buf, one->bytes, 1, one->dest, one->tag);
        one->is_begun = handle != 0;
        return handle;
    }
    return 0;
}
void stretto_start_end(int64_t handle) {
    if (!handle) return;
    struct operation *one = &all[handle];
    end_send(handle, one->call, one->buf, one->bytes, one->peer, one->tag);
}

/* A receive that is not complete: its request is this. */
static struct pending {
    char *buf;
    size_t bytes;
    int source, tag;
} pending[most];

int MPI_Irecv(void *buf, int n, void *type, int source, int tag, void *comm, void **request) {
    for (int i = 0; i < most; ++i) {
        if (pending[i].buf) continue;
        pending[i] = (struct pending){buf, n * size(type), source, tag};
        memset(buf, 0x55, pending[i].bytes);
        *request = &pending[i];
        return 0;
    }
    fail("too many receives are pending");
    return 0;
}
int MPI_Wait(void **request, struct status *status) {
    struct pending *one = *request;
    if (status) *status = (struct status){-7, -7, 0, 0, 0};
    if (one >= pending && one < pending + most) {
        receive(one->buf, one->bytes, one->source, one->tag, status);
        one->buf = 0;
    } else if (*request && *request != &ompi_mpi_byte && !is_persistent(*request)) {
        fail("MPI_Wait of no request");
    }
    if (!is_persistent(*request)) *request = 0;
    return 0;
}
int MPI_Waitall(int n, void **requests, struct status *statuses) {
    for (int i = 0; i < n; ++i) MPI_Wait(&requests[i], statuses ? &statuses[i] : 0);
    return 0;
}
int MPI_Recv(void *buf, int n, void *type, int source, int tag, void *comm, struct status *status) {
    none_open("MPI_Recv while an operation is open");
    return receive(buf, n * size(type), source, tag, status);
}
int64_t stretto_send_begin(void *call, const void *buf, int n, void *type, int dest, int tag, void *comm) {
    return open_one(call, buf, n * size(type), 1, dest, tag);
}
int stretto_send_end(int64_t handle, void *call, const void *buf, int n, void *type, int dest, int tag, void *comm) {
    end_send(handle, call, buf, n * size(type), dest, tag);
    return send(buf, n * size(type), dest, tag);
}
int stretto_isend_end(int64_t handle, void *call, const void *buf, int n, void *type, int dest, int tag, void *comm,
                      void **request) {
    *request = &ompi_mpi_byte;
    return stretto_send_end(handle, call, buf, n, type, dest, tag, comm);
}
int stretto_irecv(void *buf, int n, void *type, int source, int tag, void *comm, void **request) {
    return MPI_Irecv(buf, n, type, source, tag, comm, request);
}
int MPI_Sendrecv(const void *out, int n, void *type, int dest, int tag, void *in, int m, void *its_type, int source,
                 int its_tag, void *comm, struct status *status) {
    none_open("MPI_Sendrecv while an operation is open");
    send(out, n * size(type), dest, tag);
    return receive(in, m * size(its_type), source, its_tag, status);
}
int64_t stretto_wait_begin(void *call, void *buf, int n, void **requests) {
    for (int i = 0; i < n; ++i) {
        struct pending *one = requests[i];
        if (one < pending || one >= pending + most || one->buf != buf || !buf) continue;
        int64_t handle = open_one(call, buf, one->bytes, 0, one->source, one->tag);
        if (!handle) return 0;
        all[handle].index = i;
        one->buf = 0;
        requests[i] = 0;
        return handle;
    }
    return 0;
}
int stretto_recv_error(int64_t handle) {
    return 0;
}
int64_t stretto_recv_begin(void *call, void *buf, int n, void *type, int source, int tag, void *comm,
                           struct status *status) {
    int64_t handle = open_one(call, buf, n * size(type), 0, source, tag);
    if (!handle) receive(buf, n * size(type), source, tag, status);
    return handle;
}
int stretto_recv_end(int64_t handle, struct status *status) {
    end_receive(handle, status);
    return 0;
}

/* --- Fortran: the type is a number, and all of them are doubles */

void mpi_send_(const void *buf, int *n, int *type, int *dest, int *tag, int *comm, int *ierr) {
    none_open("MPI_Send while an operation is open");
    *ierr = send(buf, *n * 8, *dest, *tag);
}
void mpi_recv_(void *buf, int *n, int *type, int *source, int *tag, int *comm, void *status, int *ierr) {
    none_open("MPI_Recv while an operation is open");
    *ierr = receive(buf, *n * 8, *source, *tag, 0);
}
int64_t stretto_send_begin_f(void *call, const void *buf, int n, int type, int dest, int tag, int comm) {
    return open_one(call, buf, n * 8, 1, dest, tag);
}
void stretto_send_end_f(int64_t handle, void *call, const void *buf, int *n, int *type, int *dest, int *tag, int *comm,
                        int *ierr) {
    end_send(handle, call, buf, *n * 8, *dest, *tag);
    *ierr = send(buf, *n * 8, *dest, *tag);
}
int64_t stretto_recv_begin_f(void *call, void *buf, int *n, int *type, int *source, int *tag, int *comm, void *status,
                             int *ierr) {
    int64_t handle = open_one(call, buf, *n * 8, 0, *source, *tag);
    if (!handle) receive(buf, *n * 8, *source, *tag, 0);
    *ierr = 0;
    return handle;
}
void stretto_recv_end_f(int64_t handle, void *status) {
    end_receive(handle, 0);
}

/* Its request is a number: of the persistent send, from 1 on. */
void mpi_send_init_(const void *buf, int *n, int *type, int *dest, int *tag, int *comm, int *request, int *ierr) {
    void *made;
    *ierr = MPI_Send_init(buf, *n, &ompi_mpi_double, *dest, *tag, comm, &made);
    *request = persistents;
}
void mpi_startall_(int *n, int *requests, int *ierr) {
    for (int i = 0; i < *n; ++i) {
        void *one = &persistent[requests[i] - 1];
        MPI_Start(&one);
    }
    *ierr = 0;
}
void mpi_start_(int *request, int *ierr) {
    int one = 1;
    mpi_startall_(&one, request, ierr);
}
void mpi_wait_(int *request, void *status, int *ierr) {
    *ierr = 0;
}
void mpi_waitall_(int *n, int *requests, void *statuses, int *ierr) {
    *ierr = 0;
}
int64_t stretto_start_begin_f(void *call, const void *buf, int n, int *requests) {
    void *all_of_them[8];
    for (int i = 0; i < n; ++i) all_of_them[i] = &persistent[requests[i] - 1];
    return stretto_start_begin(call, buf, n, all_of_them);
}
