/* Every wrong argument of every call that Stretto may take over: which class of error comes back, and which handlers are called how often.
 *
 *     arguments returned|told FOLDER SECONDS [CALL-WRONG...]   all cases but these; errors are returned, or told to handlers of the program
 *
 * Writes into a file of FOLDER for each rank: "begin CASE", then "RANK CASE: CLASS of world N CLASS of comm N CLASS". A case that takes longer
 * than SECONDS ends the job. What a library takes for right may be under way at the end, so the job ends without MPI_Finalize. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 300000, ELSEWHERE = 77 };
static int rank, ranks, limit, skipped;
static char **skip;
static MPI_Comm comm;
static unsigned char *out, *in;
static struct told { int calls, class; } of_world, of_comm;

static int class_of(int error) {
    int class = error;
    if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
    return class;
}

static void heard(struct told *told, int error) {
    told->calls++;
    told->class = class_of(error);
}
static void world_handler(MPI_Comm *which, int *error, ...) {
    (void)which;
    heard(&of_world, *error);
}
static void comm_handler(MPI_Comm *which, int *error, ...) {
    if (*which == comm) heard(&of_comm, *error);
}

/* The arguments of a message, one of them wrong. */
static struct {
    const char *wrong;
    void *out, *in;
    int count, peer, tag, root;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Op op;
    MPI_Request *request;
} a;
static MPI_Request request;
static MPI_Status status;
static MPI_Message message;
static MPI_Datatype uncommitted;

static int by_wait(int error) {
    return error == MPI_SUCCESS && request != MPI_REQUEST_NULL ? MPI_Wait(&request, &status) : error;
}
static int by_start(int error) {
    if (error == MPI_SUCCESS && request != MPI_REQUEST_NULL) error = MPI_Start(&request);
    return by_wait(error);
}

#define ENVELOPE a.count, a.type, a.peer, a.tag, a.comm
static int Send(void) {
    return MPI_Send(a.out, ENVELOPE);
}
static int Bsend(void) {
    return MPI_Bsend(a.out, ENVELOPE);
}
static int Ssend(void) {
    return MPI_Ssend(a.out, ENVELOPE);
}
static int Rsend(void) {
    return MPI_Rsend(a.out, ENVELOPE);
}
static int Isend(void) {
    return by_wait(MPI_Isend(a.out, ENVELOPE, a.request));
}
static int Ibsend(void) {
    return by_wait(MPI_Ibsend(a.out, ENVELOPE, a.request));
}
static int Issend(void) {
    return by_wait(MPI_Issend(a.out, ENVELOPE, a.request));
}
static int Irsend(void) {
    return by_wait(MPI_Irsend(a.out, ENVELOPE, a.request));
}
static int Send_init(void) {
    return by_start(MPI_Send_init(a.out, ENVELOPE, a.request));
}
static int Bsend_init(void) {
    return by_start(MPI_Bsend_init(a.out, ENVELOPE, a.request));
}
static int Ssend_init(void) {
    return by_start(MPI_Ssend_init(a.out, ENVELOPE, a.request));
}
static int Rsend_init(void) {
    return by_start(MPI_Rsend_init(a.out, ENVELOPE, a.request));
}
static int Recv(void) {
    return MPI_Recv(a.in, ENVELOPE, &status);
}
static int Recv_ignored(void) {
    return MPI_Recv(a.in, ENVELOPE, MPI_STATUS_IGNORE);
}
static int Irecv(void) {
    return by_wait(MPI_Irecv(a.in, ENVELOPE, a.request));
}
static int Recv_init(void) {
    return by_start(MPI_Recv_init(a.in, ENVELOPE, a.request));
}
/* One half is wrong, the other goes to nobody. */
static int Sendrecv_sends(void) {
    return MPI_Sendrecv(a.out, a.count, a.type, a.peer, a.tag, in, MOST, MPI_BYTE, MPI_PROC_NULL, 1, a.comm, &status);
}
static int Sendrecv_receives(void) {
    return MPI_Sendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, 1, a.in, a.count, a.type, a.peer, a.tag, a.comm, &status);
}
static int Sendrecv_replace(void) {
    return MPI_Sendrecv_replace(a.out, a.count, a.type, a.peer, a.tag, MPI_PROC_NULL, 1, a.comm, &status);
}
/* The other half would get a message, which must be there for the receive that comes behind. */
static int Sendrecv_of_a_message(void) {
    const int error = MPI_Sendrecv(a.out, a.count, a.type, a.peer, a.tag, in, MOST, MPI_BYTE, rank, 5, a.comm, &status);
    int here = 0;
    if (a.comm != comm) return error;
    MPI_Send(&rank, 1, MPI_INT, rank, 5, comm);
    MPI_Iprobe(rank, 5, comm, &here, &status);
    if (!here) printf("%d %s: the message is gone\n", rank, a.wrong);
    if (here) MPI_Recv(&here, 1, MPI_INT, rank, 5, comm, &status);
    return error;
}
#if MPI_VERSION >= 4
static int Isendrecv_sends(void) {
    return by_wait(
        MPI_Isendrecv(a.out, a.count, a.type, a.peer, a.tag, in, MOST, MPI_BYTE, MPI_PROC_NULL, 1, a.comm, a.request));
}
static int Isendrecv_replace(void) {
    return by_wait(MPI_Isendrecv_replace(a.out, a.count, a.type, a.peer, a.tag, MPI_PROC_NULL, 1, a.comm, a.request));
}
#endif
static int Probe(void) {
    return MPI_Probe(a.peer, a.tag, a.comm, &status);
}
static int Iprobe(void) {
    int flag;
    return MPI_Iprobe(a.peer, a.tag, a.comm, &flag, &status);
}
static int Mprobe(void) {
    return MPI_Mprobe(a.peer, a.tag, a.comm, &message, &status);
}
static int Improbe(void) {
    int flag;
    return MPI_Improbe(a.peer, a.tag, a.comm, &flag, &message, &status);
}
#define ELEMENTS a.count, a.type
static int Bcast(void) {
    return MPI_Bcast(a.out, ELEMENTS, a.root, a.comm);
}
static int Ibcast(void) {
    return by_wait(MPI_Ibcast(a.out, ELEMENTS, a.root, a.comm, &request));
}
static int Gather(void) {
    return MPI_Gather(a.out, ELEMENTS, a.in, ELEMENTS, a.root, a.comm);
}
static int Igather(void) {
    return by_wait(MPI_Igather(a.out, ELEMENTS, a.in, ELEMENTS, a.root, a.comm, &request));
}
static int Iscatter(void) {
    return by_wait(MPI_Iscatter(a.out, ELEMENTS, a.in, ELEMENTS, a.root, a.comm, &request));
}
static int Allgather(void) {
    return MPI_Allgather(a.out, ELEMENTS, a.in, ELEMENTS, a.comm);
}
static int Iallgather(void) {
    return by_wait(MPI_Iallgather(a.out, ELEMENTS, a.in, ELEMENTS, a.comm, &request));
}
static int Alltoall(void) {
    return MPI_Alltoall(a.out, ELEMENTS, a.in, ELEMENTS, a.comm);
}
static int Ialltoall(void) {
    return by_wait(MPI_Ialltoall(a.out, ELEMENTS, a.in, ELEMENTS, a.comm, &request));
}
static int Ireduce(void) {
    return by_wait(MPI_Ireduce(a.out, a.in, ELEMENTS, a.op, a.root, a.comm, &request));
}
static int Reduce(void) {
    return MPI_Reduce(a.out, a.in, ELEMENTS, a.op, a.root, a.comm);
}
static int Allreduce(void) {
    return MPI_Allreduce(a.out, a.in, ELEMENTS, a.op, a.comm);
}
static int Iallreduce(void) {
    return by_wait(MPI_Iallreduce(a.out, a.in, ELEMENTS, a.op, a.comm, &request));
}
static int Iscan(void) {
    return by_wait(MPI_Iscan(a.out, a.in, ELEMENTS, a.op, a.comm, &request));
}
#if MPI_VERSION >= 4
static int Bcast_init(void) {
    return by_start(MPI_Bcast_init(a.out, ELEMENTS, a.root, a.comm, MPI_INFO_NULL, &request));
}
static int Alltoall_init(void) {
    return by_start(MPI_Alltoall_init(a.out, ELEMENTS, a.in, ELEMENTS, a.comm, MPI_INFO_NULL, &request));
}
#endif

enum { SENDS = 1, RECEIVES = 2, PROBES = 4, COLLECTIVE = 8, ROOTED = 16, REDUCES = 32, READS = 64 };
static const struct {
    const char *name;
    int (*call)(void);
    int kind;
} calls[] = {
#define CALL(name, kind) \
    { #name, name, kind }
    CALL(Send, SENDS | READS),
    CALL(Bsend, SENDS | READS),
    CALL(Ssend, SENDS | READS),
    CALL(Rsend, SENDS | READS),
    CALL(Isend, SENDS | READS),
    CALL(Ibsend, SENDS | READS),
    CALL(Issend, SENDS | READS),
    CALL(Irsend, SENDS | READS),
    CALL(Send_init, SENDS),
    CALL(Bsend_init, SENDS),
    CALL(Ssend_init, SENDS),
    CALL(Rsend_init, SENDS),
    CALL(Recv, RECEIVES | READS),
    CALL(Recv_ignored, RECEIVES | READS),
    CALL(Irecv, RECEIVES | READS),
    CALL(Recv_init, RECEIVES),
    CALL(Sendrecv_sends, SENDS | READS),
    CALL(Sendrecv_receives, RECEIVES | READS),
    CALL(Sendrecv_replace, SENDS),
    CALL(Sendrecv_of_a_message, SENDS),
    CALL(Probe, PROBES),
    CALL(Iprobe, PROBES),
    CALL(Mprobe, PROBES),
    CALL(Improbe, PROBES),
    CALL(Bcast, COLLECTIVE | ROOTED),
    CALL(Ibcast, COLLECTIVE | ROOTED),
    CALL(Gather, COLLECTIVE | ROOTED),
    CALL(Igather, COLLECTIVE | ROOTED),
    CALL(Iscatter, COLLECTIVE | ROOTED),
    CALL(Allgather, COLLECTIVE),
    CALL(Iallgather, COLLECTIVE),
    CALL(Alltoall, COLLECTIVE),
    CALL(Ialltoall, COLLECTIVE),
    CALL(Reduce, COLLECTIVE | ROOTED | REDUCES),
    CALL(Ireduce, COLLECTIVE | ROOTED | REDUCES),
    CALL(Allreduce, COLLECTIVE | REDUCES),
    CALL(Iallreduce, COLLECTIVE | REDUCES),
    CALL(Iscan, COLLECTIVE | REDUCES),
#if MPI_VERSION >= 4
    CALL(Isendrecv_sends, SENDS),
    CALL(Isendrecv_replace, SENDS),
    CALL(Bcast_init, COLLECTIVE | ROOTED),
    CALL(Alltoall_init, COLLECTIVE),
#endif
};

/* What can be wrong, and of which calls. Of a buffer that is no memory most libraries crash in the others. */
static int tag_above(void) {
    int *bound, flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    return *bound == 2147483647 ? 0 : *bound + 1;
}
static void tag_negative(void) {
    a.tag = -77;
}
static void tag_too_large(void) {
    a.tag = tag_above();
}
static void rank_too_large(void) {
    a.peer = a.root = ranks + 5;
}
static void rank_negative(void) {
    a.peer = a.root = -ELSEWHERE;
}
static void count_negative(void) {
    a.count = -1;
}
static void type_null(void) {
    a.type = MPI_DATATYPE_NULL;
}
static void type_uncommitted(void) {
    a.type = uncommitted;
}
static void comm_null(void) {
    a.comm = MPI_COMM_NULL;
}
static void buffer_null(void) {
    a.out = a.in = NULL;
}
static void op_null(void) {
    a.op = MPI_OP_NULL;
}
static void op_of_other_types(void) {
    a.op = MPI_MINLOC;
}
static const struct {
    const char *name;
    void (*make)(void);
    int kinds;
} wrongs[] = {
#define WRONG(name, kinds) \
    { #name, name, kinds }
    WRONG(tag_negative, SENDS | RECEIVES | PROBES),
    WRONG(tag_too_large, SENDS),
    WRONG(rank_too_large, SENDS | RECEIVES | PROBES | ROOTED),
    WRONG(rank_negative, SENDS | RECEIVES | PROBES | ROOTED),
    WRONG(count_negative, SENDS | RECEIVES | COLLECTIVE),
    WRONG(type_null, SENDS | RECEIVES | COLLECTIVE),
    WRONG(type_uncommitted, SENDS | RECEIVES | COLLECTIVE),
    WRONG(comm_null, SENDS | RECEIVES | PROBES | COLLECTIVE),
    WRONG(buffer_null, READS),
    WRONG(op_null, REDUCES),
    WRONG(op_of_other_types, REDUCES),
};

static char name[200];
static void too_late(int signal) {
    (void)signal;
    static const char text[] = "hangs\n";
    (void)!write(1, text, sizeof text - 1);
    _exit(3);
}
static int is_skipped(void) {
    for (int k = 0; k < skipped; k++)
        if (strcmp(skip[k], name) == 0) return 1;
    return 0;
}

static void try(int call, int wrong, int bytes) {
    const int both = calls[call].kind & COLLECTIVE;
    snprintf(name, sizeof name, "%s-%s", calls[call].name, wrongs[wrong].name);
    if (is_skipped()) return;
    snprintf(name + strlen(name), sizeof name - strlen(name), "-%d", bytes);
    a.wrong = name;
    a.out = out, a.in = in, a.count = bytes / 4, a.peer = 1 - rank, a.tag = 7, a.root = 0;
    a.type = MPI_INT, a.comm = comm, a.op = MPI_SUM, a.request = &request;
    request = MPI_REQUEST_NULL;
    wrongs[wrong].make();
    if (wrongs[wrong].make == tag_too_large && a.tag == 0) return; /* there is none */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || both) {
        printf("begin %s\n", name), fflush(stdout);
        of_world = of_comm = (struct told){0};
        alarm(limit);
        const int class = class_of(calls[call].call());
        printf("%d %s: %d world %d %d comm %d %d\n", rank, name, class, of_world.calls, of_world.class, of_comm.calls,
               of_comm.class);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    alarm(0);
}

int main(int argc, char **argv) {
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    const int told = argc > 1 && strcmp(argv[1], "told") == 0;
    limit = argc > 3 ? atoi(argv[3]) : 10;
    skip = argv + 4, skipped = argc - 4;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* A file for each rank: on their way through the launcher lines of two ranks may be mixed. */
    char lines[4096];
    snprintf(lines, sizeof lines, "%s/%d", argc > 2 ? argv[2] : ".", rank);
    if (!freopen(lines, "w", stdout)) abort();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    handler = MPI_ERRORS_RETURN;
    if (told) MPI_Comm_create_errhandler(world_handler, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    if (told) MPI_Comm_create_errhandler(comm_handler, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    signal(SIGALRM, too_late);
    out = calloc(4, MOST), in = calloc(4, MOST);
    MPI_Buffer_attach(malloc(8 * MOST), 8 * MOST);
    static const int sizes[] = {40, 20000, MOST};
    for (int call = 0; call < (int)(sizeof calls / sizeof *calls); call++)
        for (int wrong = 0; wrong < (int)(sizeof wrongs / sizeof *wrongs); wrong++)
            for (int size = 0; size < 3; size++)
                if (calls[call].kind & wrongs[wrong].kinds) try(call, wrong, sizes[size]);
    printf("done %d\n", rank), fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}
