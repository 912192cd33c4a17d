/* Runs the random programs that generator.py wrote, and logs what each rank saw.
 *
 *     interpreter PROGRAMS LOG [threads] [fortran]      reads the file PROGRAMS, writes LOG.RANK
 *
 * PROGRAMS has a line for each operation: "program N THREADS" begins a program, "RANK THREAD OPERATION ID FIELDS..." are the
 * operations of a rank in order, "end" ends it. The log has "begin N", a line "ID what was seen" for what is determined by MPI (in an
 * order that is not), and "end N". Compiled with STRETTO_PLAIN it runs under MPI alone: the log must be the same. */
#include "message.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stretto/abi.h>
#include <stretto/stretto.h>
#ifdef STRETTO_FUZZ_FORTRAN
#include "fortran.h"
#endif

enum { SLOTS = 600, COMMS = 16, MOST_FIELDS = 14, MOST_THREADS = 4, GUARD = 64, UNTOUCHED = 0xA5 };

/* The communicators of a thread. The first ones live as long as the job, those from FRESH on are made and freed by programs. */
enum comm { WORLD, TWIN, BACKWARDS, INTER, SELF, FRESH };

unsigned char forged_nonce[16];
MPI_Datatype mixed_type;
static int rank, ranks;
static MPI_Win window = MPI_WIN_NULL;
static FILE *log_file;

struct operation {
    char name[12];
    int id, fields[MOST_FIELDS];
};

struct slot {
    MPI_Request request;
    unsigned char *memory;
    size_t bytes; /* of memory, without its guard */
    int id, active, receive, persistent, signature, layout, n, expected, truncated, variable, forged, untold;
    size_t left;                 /* delta send: how many declared */
    int collective, undefined;   /* what it writes here */
    unsigned char *contribution; /* to it */
    size_t contributed;          /* bytes of it, with its guard */
    struct blocks *blocks;       /* arrays that stay until its end */
    int compiled, to, tag, comm; /* a delta send as a compiler has it; the tag of a partitioned message, too */
    stretto_handle handle;
    int partitions, unmarked;
};

struct thread {
    struct operation *operations;
    int count, room;
    MPI_Comm comm[COMMS], apart; /* apart: where partitioned messages are whole persistent ones */
    struct slot slot[SLOTS];
    char *text;
    size_t text_bytes, text_room;
    pthread_t id;
};
static struct thread threads[MOST_THREADS];

static void say(struct thread *t, const char *format, ...) {
    va_list arguments;
    if (t->text_room < t->text_bytes + 1000) t->text = realloc(t->text, t->text_room = 2 * t->text_room + 4000);
    va_start(arguments, format);
    t->text_bytes += vsnprintf(t->text + t->text_bytes, 900, format, arguments);
    va_end(arguments);
}
static int class_of(int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

/* ---- ranks: programs name ranks of MPI_COMM_WORLD */
static int first_of_far_side(void) {
    return (ranks + 1) / 2;
}
static int to_local(int comm, int world) {
    if (world < 0) return world == -1 ? MPI_ANY_SOURCE : MPI_PROC_NULL;
    if (comm == BACKWARDS) return ranks - 1 - world;
    if (comm == INTER) return rank < first_of_far_side() ? world - first_of_far_side() : world;
    if (comm == SELF) return 0;
    return world;
}
static int to_world(int comm, int local) {
    if (local == MPI_ANY_SOURCE) return -1;
    if (local == MPI_PROC_NULL) return -2;
    if (comm == BACKWARDS) return ranks - 1 - local;
    if (comm == INTER) return rank < first_of_far_side() ? local + first_of_far_side() : local;
    if (comm == SELF) return rank;
    return local;
}

/* Delta messages without annotations: memory begins with a page, so that some messages end with one. */
static int by_pages;

static unsigned char *fresh_memory(struct slot *s, size_t bytes) {
    enum { PAGE = 4096 };
    s->bytes = bytes;
    s->memory = by_pages ? aligned_alloc(PAGE, (bytes + GUARD + PAGE - 1) / PAGE * PAGE) : malloc(bytes + GUARD);
    memset(s->memory, UNTOUCHED, bytes + GUARD);
    return s->memory;
}

/* Every third delta message that may be so is one that a compiler feeds, in place of a programmer. */
#ifndef STRETTO_PLAIN
static stretto_call call = {.version = STRETTO_ABI_VERSION, .line = 1, .file = "fuzz.c", .function = "fuzz"};
static int is_compiled(int id, int signature, int layout) {
    return id % 3 == 0 && !by_pages && signature < PAIRS && layout == PLAIN;
}
#else /* annotations vanish, and so do a compiler's */
enum { call };
static int is_compiled(int id, int signature, int layout) {
    (void)id, (void)signature, (void)layout;
    return 0;
}
#define stretto_send_begin(...) 0
#define stretto_ready(...) (void)0
#define stretto_isend_end(...) 0
#define stretto_recv_begin(...) 0
#define stretto_need(...) (void)0
#define stretto_recv_end(...) 0
#endif

/* Under MPI alone, whose partitioned messages fail in many ways (docs/partitioned.md), they are persistent ones, on a communicator and with tags
 * of their own; also where Stretto uses the library's. */
static int partitions_are_whole;
#ifdef STRETTO_PLAIN
#define MPI_Psend_init(...) 0
#define MPI_Precv_init(...) 0
#define MPI_Pready(...) (void)0
#define MPI_Pready_range(...) (void)0
#define MPI_Pready_list(...) (void)0
#define MPI_Parrived(...) (void)0
#endif

/* Operations whose number divides by it: LATE as in generator.py. */
enum { LATE = 15, PACKED = 6 };

/* With STRETTO_FUZZ_IGNORE most receives are not asked for their status, and some senders are late. */
static int ignoring;
static int ignores(const struct slot *s) {
    return ignoring && s->receive && !s->truncated && s->id % 4;
}

/* Some messages are packed as soon as they are there, and unpacked to where they were. */
static int packs_well(const struct slot *s, int n) {
    int count, room, packed_bytes = 0, at = 0, good = 1;
    if (n <= 0 || s->id % PACKED) return 1;
    MPI_Datatype type = make_type(s->signature, s->layout, n, &count);
    MPI_Pack_size(count, type, MPI_COMM_SELF, &room);
    unsigned char *packed = malloc(room);
    MPI_Pack(s->memory, count, type, packed, room, &packed_bytes, MPI_COMM_SELF);
    for (int k = 0; k < n * element_bytes(s->signature); k++) good &= packed[k] == content(s->expected, k, s->forged);
    MPI_Unpack(packed, packed_bytes, &at, s->memory, count, type, MPI_COMM_SELF);
    free(packed);
    free_type(s->signature, &type);
    return good && at == packed_bytes;
}

/* Of a receive whose status was ignored. Where its sender is late, the program looks at it only at its end. */
static void tell_content(struct thread *t, struct slot *s) {
    s->untold = 0;
    say(t, "%d came %016llx\n", s->id,
        s->variable ? 0 : (unsigned long long)hash_of(s->memory, s->bytes + GUARD, 14695981039346656037u));
}

/* What a completed receive shows; its status may be ignored. Of a truncated message only the error and the envelope's source and tag are determined. */
static void tell_received(struct thread *t, struct slot *s, int comm, int code, const MPI_Status *status) {
    int count = -1, elements = -1;
    if (s->truncated || code != MPI_SUCCESS) {
        say(t, "%d error %s\n", s->id,
            class_of(code) == MPI_ERR_TRUNCATE ? "truncated"
            : class_of(code)                   ? "other"
                                               : "none");
        return;
    }
    if (status == MPI_STATUS_IGNORE) {
        s->untold = 1;
        if (s->id % LATE != 0) tell_content(t, s);
        return;
    }
    MPI_Get_count(status, element_type(s->signature), &count);
    MPI_Get_elements(status, element_type(s->signature), &elements);
    size_t bytes = count > 0 ? (size_t)count * element_bytes(s->signature) : 0;
    int good = packs_well(s, count);
    good &= has_content(s->memory, s->signature, s->layout, s->expected, s->forged, bytes);
    uint64_t hash = 14695981039346656037u;
    if (s->variable) /* rule 10: some bytes beyond the message may change */
        hash = hash_of((unsigned char *)&count, sizeof count, hash);
    else
        hash = hash_of(s->memory, s->bytes + GUARD, hash);
    say(t, "%d from %d tag %d count %d elements %d %s %016llx\n", s->id, to_world(comm, status->MPI_SOURCE),
        s->partitions && partitions_are_whole ? s->tag : status->MPI_TAG, count, elements, good ? "good" : "BAD",
        (unsigned long long)hash);
}

static struct slot *slot_for(struct thread *t, const struct operation *o, int slot, int signature, int layout, int n) {
    struct slot *s = &t->slot[slot];
    memset(s, 0, sizeof *s);
    s->id = o->id, s->signature = signature, s->layout = layout, s->n = n, s->request = MPI_REQUEST_NULL;
    fresh_memory(s, memory_bytes(signature, layout, n));
    return s;
}

/* ---- operations. Each reads its fields in the order that generator.py writes them. */
enum send_kind {
    SEND,
    SSEND,
    BSEND,
    RSEND,
    SENDRECV_HALF,
    ISEND,
    ISSEND,
    IBSEND,
    IRSEND,
    SEND_INIT,
    SSEND_INIT,
    BSEND_INIT,
    RSEND_INIT
};

/* send: kind comm peer tag signature layout n slot forged */
static void do_send(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    int kind = f[0], count, peer = to_local(f[1], f[2]), tag = f[3], code = 0;
    MPI_Comm comm = t->comm[f[1]];
    struct slot *s = slot_for(t, o, f[7], f[4], f[5], f[6]);
    MPI_Datatype type = make_type(f[4], f[5], f[6], &count);
    write_content(s->memory, f[4], f[5], o->id, f[8], 0, (size_t)f[6] * element_bytes(f[4]));
    if (ignoring && o->id % LATE == 0) usleep(20000);
    switch (kind) {
#if MPI_VERSION >= 4
    case SEND:
        code = o->id % 2 ? MPI_Send_c(s->memory, count, type, peer, tag, comm)
                         : MPI_Send(s->memory, count, type, peer, tag, comm);
        break;
    case ISEND:
        code = o->id % 2 ? MPI_Isend_c(s->memory, count, type, peer, tag, comm, &s->request)
                         : MPI_Isend(s->memory, count, type, peer, tag, comm, &s->request);
        break;
#else
    case SEND:
        code = MPI_Send(s->memory, count, type, peer, tag, comm);
        break;
    case ISEND:
        code = MPI_Isend(s->memory, count, type, peer, tag, comm, &s->request);
        break;
#endif
    case SSEND:
        code = MPI_Ssend(s->memory, count, type, peer, tag, comm);
        break;
    case BSEND:
        code = MPI_Bsend(s->memory, count, type, peer, tag, comm);
        break;
    case RSEND:
        code = MPI_Rsend(s->memory, count, type, peer, tag, comm);
        break;
    case SENDRECV_HALF:
        code = MPI_Sendrecv(s->memory, count, type, peer, tag, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm,
                            MPI_STATUS_IGNORE);
        break;
    case ISSEND:
        code = MPI_Issend(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case IBSEND:
        code = MPI_Ibsend(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case IRSEND:
        code = MPI_Irsend(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case SEND_INIT:
        code = MPI_Send_init(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case SSEND_INIT:
        code = MPI_Ssend_init(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case BSEND_INIT:
        code = MPI_Bsend_init(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    case RSEND_INIT:
        code = MPI_Rsend_init(s->memory, count, type, peer, tag, comm, &s->request);
        break;
    }
    if (kind >= SEND_INIT) {
        s->persistent = 1;
        code = o->id % 2 ? MPI_Start(&s->request) : MPI_Startall(1, &s->request);
    }
    s->active = kind > SENDRECV_HALF;
    if (!s->active) memset(s->memory, 0, s->bytes); /* the buffer is the program's again */
    free_type(f[4], &type);
    if (code) say(t, "%d send error %d\n", o->id, class_of(code));
}

enum receive_kind {
    RECV,
    IRECV,
    RECV_INIT,
    MPROBE_MRECV,
    MPROBE_IMRECV,
    IMPROBE_MRECV,
    RECV_HALF,
    PROBE_RECV,
    DELTA_RECV,
    DELTA_RECV_END
};

/* Two threads look at what comes, each at its half; one of them backwards. Nobody has said what is needed. */
struct half {
    const struct slot *slot;
    size_t begin, end;
    int good;
};
static void *look_at(void *its_half) {
    struct half *half = its_half;
    const struct slot *s = half->slot;
    half->good = 1;
    for (size_t k = half->end; k-- > half->begin;)
        half->good &= s->memory[place(s->signature, s->layout, k)] == content(s->expected, k, s->forged);
    return NULL;
}
static void touch_at_once(struct thread *t, const struct slot *s, size_t bytes) {
    struct half upper = {s, bytes / 2, bytes, 1}, lower = {s, 0, bytes / 2, 1};
    pthread_t other;
    int two = s->id % 2 && pthread_create(&other, NULL, look_at, &upper) == 0;
    if (!two) look_at(&upper);
    look_at(&lower);
    if (two) pthread_join(other, NULL);
    if (!lower.good || !upper.good) say(t, "%d wait_data: touched before it was there\n", s->id);
}

/* receive: kind comm source tag signature layout capacity slot expected truncated variable bytes forged */
static void do_receive(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    int kind = f[0], count, source = to_local(f[1], f[2]), tag = f[3] < 0 ? MPI_ANY_TAG : f[3], code = 0, flag = 0;
    MPI_Comm comm = t->comm[f[1]];
    MPI_Status status;
    MPI_Message message;
    struct slot *s = slot_for(t, o, f[7], f[4], f[5], f[6]);
    MPI_Datatype type = make_type(f[4], f[5], f[6], &count);
    s->receive = 1, s->expected = f[8], s->truncated = f[9], s->variable = f[10], s->forged = f[12];
    if (s->truncated) { /* Open MPI 4.1.4 itself writes all of a large message */
        free(s->memory);
        fresh_memory(s, s->bytes + 2000000);
    }
    MPI_Status *asked = (kind == RECV || kind == RECV_HALF) && ignores(s) ? MPI_STATUS_IGNORE : &status;
    switch (kind) {
#if MPI_VERSION >= 4
    case RECV:
        code = o->id % 2 ? MPI_Recv_c(s->memory, count, type, source, tag, comm, asked)
                         : MPI_Recv(s->memory, count, type, source, tag, comm, asked);
        break;
#else
    case RECV:
        code = MPI_Recv(s->memory, count, type, source, tag, comm, asked);
        break;
#endif
    case IRECV:
        code = MPI_Irecv(s->memory, count, type, source, tag, comm, &s->request);
        break;
    case RECV_INIT:
        MPI_Recv_init(s->memory, count, type, source, tag, comm, &s->request);
        s->persistent = 1;
        code = o->id % 2 ? MPI_Start(&s->request) : MPI_Startall(1, &s->request);
        break;
    case MPROBE_MRECV:
        MPI_Mprobe(source, tag, comm, &message, &status);
        code = MPI_Mrecv(s->memory, count, type, &message, &status);
        break;
    case MPROBE_IMRECV:
        MPI_Mprobe(source, tag, comm, &message, &status);
        code = MPI_Imrecv(s->memory, count, type, &message, &s->request);
        break;
    case IMPROBE_MRECV:
        while (!flag) MPI_Improbe(source, tag, comm, &flag, &message, &status);
        code = MPI_Mrecv(s->memory, count, type, &message, &status);
        break;
    case RECV_HALF:
        code = MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, s->memory, count, type, source, tag, comm, asked);
        break;
    case PROBE_RECV:
        MPI_Probe(source, tag, comm, &status);
        code = MPI_Recv(s->memory, count, type, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
        break;
    case DELTA_RECV:
    case DELTA_RECV_END: {
        const int compiles = is_compiled(o->id, f[4], f[5]);
        stretto_handle handle = 0;
        if (compiles)
            handle = stretto_recv_begin(&call, s->memory, count, type, source, tag, comm, &status);
        else
            code = MPIX_Delta_recv(s->memory, count, type, source, tag, comm, &status);
        size_t bytes = f[11];
        if (by_pages && kind == DELTA_RECV && !s->truncated && bytes && !code)
            touch_at_once(t, s, bytes);
        else if (kind == DELTA_RECV && !s->truncated && bytes) {
            size_t piece = 1 + bytes / (1 + o->id % 9), pieces = (bytes + piece - 1) / piece;
            for (size_t i = 0; i < pieces; i++) {
                size_t k = o->id % 2 ? i : pieces - 1 - i, begin = k * piece,
                       end = begin + piece < bytes ? begin + piece : bytes;
                size_t from = place(f[4], f[5], begin), to = place(f[4], f[5], end - 1);
                if (f[4] >= PAIRS) from -= from % 8, from = from > 16 ? from - 16 : 0, to += 24;
                if (to > s->bytes) to = s->bytes;
                if (compiles)
                    stretto_need(handle, s->memory, (int64_t)from, (int64_t)to + 1);
                else
                    MPIX_Delta_wait_data(s->memory + from, to + 1 - from);
                for (size_t b = begin; b < end; b++)
                    if (s->memory[place(f[4], f[5], b)] != content(s->expected, b, s->forged)) {
                        say(t, "%d wait_data returned before byte %zu was there\n", o->id, b);
                        break;
                    }
            }
        }
        if (compiles)
            code = stretto_recv_end(handle, &status);
        else if (!code)
            code = MPIX_Delta_recv_end(s->memory, &status);
        break;
    }
    }
    s->active = kind == IRECV || kind == RECV_INIT || kind == MPROBE_IMRECV;
    free_type(f[4], &type);
    if (!s->active) tell_received(t, s, f[1], code, asked);
    if (s->active && code) say(t, "%d receive error %d\n", o->id, class_of(code));
    s->left = f[1]; /* the communicator, for the status later */
}

/* probe: polled comm source tag countless */
static void do_probe(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    int source = to_local(f[1], f[2]), tag = f[3] < 0 ? MPI_ANY_TAG : f[3], flag = 0, count = -1;
    MPI_Status status;
    if (f[0])
        while (!flag) MPI_Iprobe(source, tag, t->comm[f[1]], &flag, &status);
    else
        MPI_Probe(source, tag, t->comm[f[1]], &status);
    if (!f[4]) MPI_Get_count(&status, MPI_BYTE, &count);
    say(t, "%d probed from %d tag %d bytes %d\n", o->id, to_world(f[1], status.MPI_SOURCE), status.MPI_TAG, count);
}

/* What a collective has written, and that it has left the contribution as it was. */
static void tell_result(struct thread *t, struct slot *s, int code) {
    uint64_t hash = hash_of(s->contribution, s->contributed, 14695981039346656037u);
    if (!s->undefined) hash = hash_of(s->memory, s->bytes + GUARD, hash);
    say(t, "%d collective %d error %d %016llx\n", s->id, s->collective, class_of(code), (unsigned long long)hash);
    free(s->contribution), free(s->blocks);
    s->contribution = NULL, s->blocks = NULL;
}

static void done(struct thread *t, struct slot *s, int code, const MPI_Status *status) {
    if (s->collective) tell_result(t, s, code);
    if (s->receive) tell_received(t, s, (int)s->left, code, status);
    if (s->persistent) MPI_Request_free(&s->request);
    if (s->request != MPI_REQUEST_NULL) say(t, "%d request not null after its end\n", s->id);
    s->active = 0;
}

enum completion { WAIT, TEST, WAITALL, WAITANY, WAITSOME, TESTALL, TESTANY, TESTSOME, GET_STATUS, DELTA_WAIT };

/* Where nothing names the request that ended in an error (find_ended() of fortran.h): a persistent one, whose handle stays; if there is one. */
static int only_persistent(const struct thread *t, const int *slots, int n) {
    int found = MPI_UNDEFINED;
    for (int i = 0; i < n; i++) {
        if (!t->slot[slots[i]].active || !t->slot[slots[i]].persistent) continue;
        if (found != MPI_UNDEFINED) return MPI_UNDEFINED;
        found = i;
    }
    return found;
}

/* complete: kind n slots... */
static void do_complete(struct thread *t, const struct operation *o) {
    int kind = o->fields[0], n = o->fields[1], left = n, flag = 0, code = 0, at, some, which[MOST_FIELDS];
    const int *slots = o->fields + 2;
    MPI_Request request[MOST_FIELDS];
    MPI_Status status[MOST_FIELDS];
    for (int i = 0; i < n; i++) request[i] = t->slot[slots[i]].request;
#define DONE(i, code, status) (t->slot[slots[i]].request = request[i], done(t, &t->slot[slots[i]], code, status))
    switch (kind) {
    case WAIT:
    case DELTA_WAIT:
        for (int i = 0; i < n; i++) {
            MPI_Status *asked = kind == WAIT && ignores(&t->slot[slots[i]]) ? MPI_STATUS_IGNORE : &status[i];
            code = kind == WAIT ? MPI_Wait(&request[i], asked) : MPIX_Delta_wait(&request[i], asked);
            DONE(i, code, asked);
        }
        break;
    case TEST:
        for (int i = 0; i < n; i++, flag = 0) {
            while (!flag && !code) code = MPI_Test(&request[i], &flag, &status[i]);
            DONE(i, code, &status[i]);
            code = 0;
        }
        break;
    case GET_STATUS:
        for (int i = 0; i < n; i++, flag = 0) {
            while (!flag) MPI_Request_get_status(request[i], &flag, &status[i]);
            code = MPI_Wait(&request[i], &status[i]);
            DONE(i, code, &status[i]);
        }
        break;
    case WAITALL:
        code = MPI_Waitall(n, request, status);
        for (int i = 0; i < n; i++) DONE(i, code ? status[i].MPI_ERROR : 0, &status[i]);
        break;
    case TESTALL:
        while (!flag && !code) code = MPI_Testall(n, request, &flag, status);
        for (int i = 0; i < n; i++) DONE(i, code ? status[i].MPI_ERROR : 0, &status[i]);
        break;
    case WAITANY:
    case TESTANY:
        while (left) {
            flag = 1;
            code = kind == WAITANY ? MPI_Waitany(n, request, &at, status) : MPI_Testany(n, request, &at, &flag, status);
            if (!flag) continue;
            if (at == MPI_UNDEFINED && code) at = only_persistent(t, slots, n);
            if (at == MPI_UNDEFINED) {
                say(t, "%d: no request is active, %d are missing\n", o->id, left);
                break;
            }
            DONE(at, code, status);
            request[at] = t->slot[slots[at]].request;
            left--;
        }
        break;
    case WAITSOME:
    case TESTSOME:
        while (left) {
            code = kind == WAITSOME ? MPI_Waitsome(n, request, &some, which, status)
                                    : MPI_Testsome(n, request, &some, which, status);
            if (some == MPI_UNDEFINED) {
                say(t, "%d: no request is active, %d are missing\n", o->id, left);
                break;
            }
            for (int i = 0; i < some; i++) {
                DONE(which[i], code ? status[i].MPI_ERROR : 0, &status[i]);
                request[which[i]] = t->slot[slots[which[i]]].request;
            }
            left -= some;
        }
        break;
    }
}

/* free: slot */
static void do_free(struct thread *t, const struct operation *o) {
    struct slot *s = &t->slot[o->fields[0]];
    MPI_Request_free(&s->request);
    s->active = 0;
}

/* begin: comm peer tag signature layout n slot forged maximum */
static void do_begin(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    int count;
    struct slot *s = slot_for(t, o, f[6], f[3], f[4], f[8]);
    s->n = f[5], s->forged = f[7];
    MPI_Datatype type = make_type(f[3], f[4], f[8], &count);
    s->compiled = f[8] == f[5] && is_compiled(o->id, f[3], f[4]);
    if (s->compiled) {
        s->to = to_local(f[0], f[1]), s->tag = f[2], s->comm = f[0];
        s->handle = stretto_send_begin(&call, s->memory, count, type, s->to, s->tag, t->comm[s->comm]);
        free_type(f[3], &type);
        s->active = 1;
        return;
    }
    int code = MPIX_Delta_send_begin(s->memory, count, type, to_local(f[0], f[1]), f[2], t->comm[f[0]], &s->request);
    s->active = 1;
    if (code) say(t, "%d begin error %d\n", o->id, class_of(code));
    free_type(f[3], &type);
}
/* declare: slot begin end, in bytes of a message of PLAIN layout */
static void do_declare(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    struct slot *s = &t->slot[f[0]];
    write_content(s->memory, s->signature, s->layout, s->id, s->forged, f[1], f[2]);
    size_t from = place(s->signature, s->layout, f[1]);
    const size_t to = place(s->signature, s->layout, f[2] - 1) + 1;
    if (s->compiled)
        stretto_ready(s->handle, s->memory, (int64_t)from, (int64_t)to);
    else
        MPIX_Delta_send_data(s->memory + from, to - from);
}
/* end: slot count declared ranges... ; count < 0: of the begin. Ranges [begin, end) of bytes that were declared, the rest is written now. */
static void do_end(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    struct slot *s = &t->slot[f[0]];
    size_t bytes = (size_t)s->n * element_bytes(s->signature), from = 0;
    for (int i = 0; i < f[2]; i++) {
        write_content(s->memory, s->signature, s->layout, s->id, s->forged, from, f[3 + 2 * i]);
        from = f[4 + 2 * i];
    }
    write_content(s->memory, s->signature, s->layout, s->id, s->forged, from, bytes);
    int code, count;
    if (s->compiled) {
        MPI_Datatype type = make_type(s->signature, s->layout, s->n, &count);
        code =
            stretto_isend_end(s->handle, &call, s->memory, count, type, s->to, s->tag, t->comm[s->comm], &s->request);
        free_type(s->signature, &type);
    } else
        code = f[1] < 0 ? MPIX_Delta_send_end(&s->request) : MPIX_Delta_send_end_count(f[1], &s->request);
    if (code) say(t, "%d end error %d\n", o->id, class_of(code));
}

/* exchange: kind comm to tag_out n_out from tag_in capacity slot expected bytes */
static void do_exchange(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    MPI_Comm comm = t->comm[f[1]];
    MPI_Status status;
    int to = to_local(f[1], f[2]), from = to_local(f[1], f[5]);
    struct slot *s = slot_for(t, o, f[8], BYTES, PLAIN, f[7]);
    unsigned char *out = malloc(f[4] + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    int code = 0;
    write_content(out, BYTES, PLAIN, o->id, 0, 0, f[4]);
    s->expected = f[9];
    switch (f[0]) {
    case 0:
        code = MPI_Sendrecv(out, f[4], MPI_BYTE, to, f[3], s->memory, f[7], MPI_BYTE, from, f[6], comm, &status);
        break;
    case 1:
        memcpy(s->memory, out, f[4]);
        code = MPI_Sendrecv_replace(s->memory, f[7], MPI_BYTE, to, f[3], from, f[6], comm, &status);
        break;
#if MPI_VERSION >= 4
    case 2:
        code = MPI_Isendrecv(out, f[4], MPI_BYTE, to, f[3], s->memory, f[7], MPI_BYTE, from, f[6], comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 3:
        memcpy(s->memory, out, f[4]);
        code = MPI_Isendrecv_replace(s->memory, f[7], MPI_BYTE, to, f[3], from, f[6], comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
#else
    default:
        MPI_Isend(out, f[4], MPI_BYTE, to, f[3], comm, &request);
        code = MPI_Recv(s->memory, f[7], MPI_BYTE, from, f[6], comm, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    }
    if (f[0] < 2)
        tell_received(t, s, f[1], code, &status);
    else
        say(t, "%d exchanged %s\n", o->id, has_content(s->memory, BYTES, PLAIN, f[9], 0, f[10]) ? "good" : "BAD");
    free(out);
}

/* rounds: sends kind comm peer tag signature layout n slot rounds: the same persistent request, started several times */
static void do_rounds(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    int count, peer = to_local(f[2], f[3]);
    MPI_Comm comm = t->comm[f[2]];
    struct slot *s = slot_for(t, o, f[8], f[5], f[6], f[7]);
    MPI_Datatype type = make_type(f[5], f[6], f[7], &count);
    size_t bytes = (size_t)f[7] * element_bytes(f[5]);
    if (!f[0])
        MPI_Recv_init(s->memory, count, type, peer, f[4], comm, &s->request);
    else if (f[1])
        MPI_Ssend_init(s->memory, count, type, peer, f[4], comm, &s->request);
    else
        MPI_Send_init(s->memory, count, type, peer, f[4], comm, &s->request);
    for (int round = 0; round < f[9]; round++) {
        MPI_Status status;
        if (f[0])
            write_content(s->memory, f[5], f[6], o->id + round, 0, 0, bytes);
        else
            memset(s->memory, UNTOUCHED, s->bytes);
        MPI_Start(&s->request);
        int code = MPI_Wait(&s->request, &status);
        s->expected = o->id - 1 + round; /* the receiver's id is the sender's plus one */
        if (!f[0]) tell_received(t, s, f[2], code, &status);
    }
    MPI_Request_free(&s->request);
    free_type(f[5], &type);
}

/* ---- partitioned messages. part_init: sends comm peer tag signature layout partitions each slot */
static void do_part_init(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    const int peer = to_local(f[1], f[2]), n = f[6] * f[7];
    struct slot *s = slot_for(t, o, f[8], f[4], f[5], n);
    MPI_Datatype type;
    int count, code;
    s->receive = !f[0], s->persistent = 1, s->tag = f[3], s->partitions = f[6], s->left = f[1];
    if (partitions_are_whole) {
        type = make_type(f[4], f[5], n, &count);
        s->left = WORLD;
        code = s->receive ? MPI_Recv_init(s->memory, count, type, f[2], o->id, t->apart, &s->request)
                          : MPI_Send_init(s->memory, count, type, f[2], o->id, t->apart, &s->request);
    } else {
        const MPI_Comm comm = t->comm[f[1]];
        if (f[5] == STRIDED) { /* the next partition begins behind the gap, where a vector has none at its end */
            MPI_Type_create_resized(element_type(f[4]), 0, 2 * (MPI_Aint)element_extent(f[4]), &type);
            MPI_Type_commit(&type);
            count = f[7];
        } else
            type = make_type(f[4], f[5], f[7], &count);
        code = s->receive ? MPI_Precv_init(s->memory, f[6], count, type, peer, f[3], comm, MPI_INFO_NULL, &s->request)
                          : MPI_Psend_init(s->memory, f[6], count, type, peer, f[3], comm, MPI_INFO_NULL, &s->request);
    }
    free_type(f[4], &type);
    if (code) say(t, "%d part_init error %d\n", o->id, class_of(code));
}
static void start_partitioned(struct thread *t, struct slot *s) {
    const int code = s->id % 2 ? MPI_Start(&s->request) : MPI_Startall(1, &s->request);
    if (code) say(t, "%d part_start error %d\n", s->id, class_of(code));
}
/* part_start: slot round */
static void do_part_start(struct thread *t, const struct operation *o) {
    struct slot *s = &t->slot[o->fields[0]];
    s->expected = o->id + o->fields[1], s->active = 1, s->unmarked = s->partitions;
    if (s->receive) memset(s->memory, UNTOUCHED, s->bytes);
    if (s->receive || !partitions_are_whole) start_partitioned(t, s);
}
static size_t bytes_of_partition(const struct slot *s) {
    return (size_t)(s->n / s->partitions) * element_bytes(s->signature);
}
/* part_ready: slot first end, in partitions */
static void do_part_ready(struct thread *t, const struct operation *o) {
    const int first = o->fields[1], end = o->fields[2], how = o->id % 3;
    struct slot *s = &t->slot[o->fields[0]];
    const size_t bytes = bytes_of_partition(s);
    for (int k = end; k-- > first; s->unmarked--) {
        write_content(s->memory, s->signature, s->layout, s->expected, 0, k * bytes, (k + 1) * bytes);
        if (!partitions_are_whole && how == 1) MPI_Pready(k, s->request);
        if (!partitions_are_whole && how == 2) MPI_Pready_list(1, &k, s->request);
    }
    if (!partitions_are_whole && how == 0) MPI_Pready_range(first, end - 1, s->request);
    if (s->unmarked == 0 && partitions_are_whole) start_partitioned(t, s);
}
static int looks_at_partition(struct thread *t, const struct slot *s, int partition, size_t sent) {
    const size_t begin = partition * bytes_of_partition(s), end = begin + bytes_of_partition(s);
    int here = 0;
    if (partitions_are_whole) return 1;
    MPI_Parrived(s->request, partition, &here);
    for (size_t k = begin; k < end && k < sent && here; k++)
        if (s->memory[place(s->signature, s->layout, k)] != content(s->expected, k, 0)) {
            say(t, "%d part_look BAD: partition %d had not arrived\n", s->id, partition);
            break;
        }
    return here;
}
/* part_look: slot partition elements_sent */
static void do_part_look(struct thread *t, const struct operation *o) {
    const struct slot *s = &t->slot[o->fields[0]];
    looks_at_partition(t, s, o->fields[1], (size_t)o->fields[2] * element_bytes(s->signature));
}
/* part_await: slot partitions elements_sent */
static void do_part_await(struct thread *t, const struct operation *o) {
    const struct slot *s = &t->slot[o->fields[0]];
    for (int k = 0; k < o->fields[1]; k++)
        while (!looks_at_partition(t, s, k, (size_t)o->fields[2] * element_bytes(s->signature)))
            ;
}
/* part_wait: slot: before it is started again */
static void do_part_wait(struct thread *t, const struct operation *o) {
    struct slot *s = &t->slot[o->fields[0]];
    MPI_Status status, *asked = ignores(s) ? MPI_STATUS_IGNORE : &status;
    int code = 0;
    if (o->id % 4 < 2)
        code = MPI_Wait(&s->request, asked);
    else
        for (int flag = 0; !flag && !code;) code = MPI_Test(&s->request, &flag, asked);
    if (code) say(t, "%d part_wait error %d\n", s->id, class_of(code));
    if (s->receive) tell_received(t, s, (int)s->left, code, asked);
    if (s->untold) tell_content(t, s);
}

/* gather: kind comm tag messages capacity slot senders... : wildcard receives; what is determined is each sender's order */
static void do_gather(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    enum { MOST = 40 };
    MPI_Comm comm = t->comm[f[1]];
    uint64_t hash[64];
    int seen[64] = {0}, n = f[3], next = 0;
    unsigned char *memory[MOST];
    MPI_Request request[MOST];
    MPI_Status status[MOST];
    for (int i = 0; i < 64; i++) hash[i] = 14695981039346656037u;
    for (int i = 0; i < n; i++) {
        memory[i] = malloc(f[4] + GUARD);
        memset(memory[i], UNTOUCHED, f[4] + GUARD);
        if (f[0] == 1) MPI_Irecv(memory[i], f[4], MPI_BYTE, MPI_ANY_SOURCE, f[2], comm, &request[i]);
    }
    if (f[0] == 1) MPI_Waitall(n, request, status);
    for (int i = 0; i < n; i++) {
        MPI_Message message;
        if (f[0] == 0) MPI_Recv(memory[i], f[4], MPI_BYTE, MPI_ANY_SOURCE, f[2], comm, &status[i]);
        if (f[0] == 2) {
            MPI_Mprobe(MPI_ANY_SOURCE, f[2], comm, &message, &status[i]);
            MPI_Mrecv(memory[i], f[4], MPI_BYTE, &message, &status[i]);
        }
        if (f[0] == 3) {
            MPI_Probe(MPI_ANY_SOURCE, f[2], comm, &status[i]);
            int count;
            MPI_Get_count(&status[i], MPI_BYTE, &count);
            MPI_Recv(memory[i], count, MPI_BYTE, status[i].MPI_SOURCE, f[2], comm, &status[i]);
        }
        if (f[0] == 4) {
            MPIX_Delta_recv(memory[i], f[4], MPI_BYTE, MPI_ANY_SOURCE, f[2], comm, &status[i]);
            MPIX_Delta_recv_end(memory[i], &status[i]);
        }
        int from = to_world(f[1], status[i].MPI_SOURCE), count = -1;
        MPI_Get_count(&status[i], MPI_BYTE, &count);
        if (from < 0 || from > 63) from = 63;
        seen[from]++, next++;
        hash[from] = hash_of((unsigned char *)&count, sizeof count, hash[from]);
        hash[from] = hash_of(memory[i], f[4] + GUARD, hash[from]);
    }
    for (int i = 0; i < n; i++) free(memory[i]);
    say(t, "%d gathered", o->id);
    for (int i = 0; i < 64; i++)
        if (seen[i]) say(t, " %d:%d:%016llx", i, seen[i], (unsigned long long)hash[i]);
    say(t, "\n");
}

/* cancelled: comm tag source bytes: a receive that nothing matches */
static void do_cancelled(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    unsigned char *memory = malloc(f[3] + 1);
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Irecv(memory, f[3], MPI_BYTE, to_local(f[0], f[2]), f[1], t->comm[f[0]], &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    say(t, "%d cancelled %d\n", o->id, flag);
    free(memory);
}
/* cancel: slot: of a receive that is matched already */
static void do_cancel(struct thread *t, const struct operation *o) {
    MPI_Cancel(&t->slot[o->fields[0]].request);
}

/* together: kind comm bytes root */
static void do_together(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    MPI_Comm comm = t->comm[f[1]], twin;
    int sum = 0, mine = rank + o->id;
    MPI_Request request;
    unsigned char *memory = malloc((size_t)f[2] * ranks + 1);
    switch (f[0]) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        if (rank == f[3]) write_content(memory, BYTES, PLAIN, o->id, 0, 0, f[2]);
        MPI_Bcast(memory, f[2], MPI_BYTE, to_local(f[1], f[3]), comm);
        say(t, "%d bcast %s\n", o->id, has_content(memory, BYTES, PLAIN, o->id, 0, f[2]) ? "good" : "BAD");
        break;
    case 2:
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        say(t, "%d sum %d\n", o->id, sum);
        break;
    case 3:
        if (window != MPI_WIN_NULL) MPI_Win_fence(0, window);
        break;
    case 4:
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Comm_dup(comm, &twin);
        MPI_Comm_free(&twin);
        break;
    case 6: {
        unsigned char *from = malloc((size_t)f[2] * ranks + 1);
        int good = 1;
        for (int r = 0; r < ranks; r++)
            write_content(from + (size_t)r * f[2], BYTES, PLAIN, o->id + rank * 64 + r, 0, 0, f[2]);
        MPI_Alltoall(from, f[2], MPI_BYTE, memory, f[2], MPI_BYTE, MPI_COMM_WORLD);
        for (int r = 0; r < ranks; r++)
            good &= has_content(memory + (size_t)r * f[2], BYTES, PLAIN, o->id + r * 64 + rank, 0, f[2]);
        say(t, "%d alltoall %s\n", o->id, good ? "good" : "BAD");
        free(from);
        break;
    }
    case 7: {
        MPI_Win other;
        MPI_Win_create(&sum, sizeof sum, sizeof sum, MPI_INFO_NULL, comm, &other);
        MPI_Win_free(&other);
        break;
    }
    }
    free(memory);
}
/* x -> a x + b: associative, and does not commute. */
static void compose(void *source, void *target, int *count, MPI_Datatype *type) {
    const unsigned *from = source;
    unsigned *to = target;
    (void)type;
    for (int k = 0; k < 2 * *count; k += 2) {
        to[k + 1] = from[k + 1] + from[k] * to[k + 1];
        to[k] = from[k] * to[k];
    }
}

enum collective {
    BARRIER = 1,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    NEIGHBOR_ALLGATHER,
    NEIGHBOR_ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    NEIGHBOR_ALLGATHERV,
    NEIGHBOR_ALLTOALLV,
    NEIGHBOR_ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN
};

/* What of its arguments have a value for each rank: blocks of several sizes, with gaps between them, the last rank's first. */
struct blocks {
    int counts[16], places[16], bytes[16];
    MPI_Aint bytes_of_neighbors[16];
    MPI_Datatype types[16];
};
static struct blocks blocks_of(int most, int me, int salt, int per_pair, MPI_Datatype type, int extent) {
    struct blocks b;
    for (int r = 0; r < ranks; r++) {
        const int far = per_pair == 2 ? r * 16 + me : me * 16 + r; /* what one sends is what the other gets */
        b.counts[r] = most ? (per_pair ? far * 31 + salt : r * 57 + salt) % (most + 1) : 0;
        b.places[r] = (ranks - 1 - r) * (most + 2);
        b.bytes[r] = b.places[r] * extent;
        b.types[r] = type;
    }
    return b;
}

/* TWIN is a graph: each rank sends to the next ones, nearest first. */
enum { NEIGHBORS = 2 };
static int neighbor(int me, int k, int sends) {
    return (me + (sends ? k + 1 : ranks - k - 1)) % ranks;
}
static struct blocks of_neighbors(const struct blocks *all, int me, int sends) {
    struct blocks b = *all;
    for (int k = 0; k < NEIGHBORS; k++) {
        const int r = neighbor(me, k, sends);
        b.counts[k] = all->counts[r], b.places[k] = all->places[r], b.bytes_of_neighbors[k] = all->bytes[r];
    }
    return b;
}

/* Between two groups, of which one has the root. */
static int as_root(int comm, int world) {
    if (comm != INTER || (world < first_of_far_side()) != (rank < first_of_far_side())) return to_local(comm, world);
    return world == rank ? MPI_ROOT : MPI_PROC_NULL;
}

enum form { NON_BLOCKING, PERSISTENT, BLOCKING, FED };

#if MPI_VERSION >= 4
#define BEGIN(name, Name, ...)                                                         \
    (form == BLOCKING     ? MPI_##Name(__VA_ARGS__)                                    \
     : form == PERSISTENT ? MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &s->request) \
                          : MPI_I##name(__VA_ARGS__, &s->request))
#else
#define BEGIN(name, Name, ...) (form == BLOCKING ? MPI_##Name(__VA_ARGS__) : MPI_I##name(__VA_ARGS__, &s->request))
#endif

#define BEGIN_FED(name, Name, ...) \
    (form == FED ? MPIX_Delta_##name##_begin(__VA_ARGS__, &s->request) : BEGIN(name, Name, __VA_ARGS__))

/* Says of these bytes of the contribution that they are final, of some only by the end, and waits for some results. */
static int feed(struct thread *t, struct slot *s, const unsigned char *contribution, size_t bytes) {
    const size_t pieces = 1 + (size_t)s->id % 5;
    for (size_t i = s->id % 3 == 0; i < pieces; i++) {
        const size_t k = s->id % 2 ? pieces - 1 - i : i, begin = bytes * k / pieces, end = bytes * (k + 1) / pieces;
        MPIX_Delta_send_data(contribution + begin, end - begin);
    }
    const int code = MPIX_Delta_collective_end(&s->request);
    if (s->id % 4 || code || s->undefined) return code;
    for (size_t k = pieces; k-- > 0;) {
        const size_t begin = s->bytes * k / pieces, end = s->bytes * (k + 1) / pieces;
        MPIX_Delta_wait_data(s->memory + begin, end - begin);
    }
    say(t, "%d is there %016llx\n", s->id, (unsigned long long)hash_of(s->memory, s->bytes, 14695981039346656037u));
    return code;
}

/* Doubles of which hardly two have a sum, or a product, that is a double. */
static void thirds_and_the_like(struct slot *s) {
    for (size_t k = 0; k + sizeof(double) <= s->contributed; k += sizeof(double)) {
        const double one = 1 + 1. / (3 + s->contribution[k]);
        memcpy(s->contribution + k, &one, sizeof one);
    }
}

/* collective: kind comm signature layouts n root in_place operation form slot. Layouts are of the contribution and of the result. */
static void do_collective(struct thread *t, const struct operation *o) {
    const int *f = o->fields;
    const int kind = f[0], n = f[5], in_place = f[7], reduces = kind >= REDUCE;
    const int root = as_root(f[1], f[6]), is_root = rank == f[6], extent = element_extent(f[2]);
    const int varies = kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV || kind >= ALLTOALLV;
    int code = 0, me, sends, receives;
    const enum form form = f[9];
    MPI_Comm comm = t->comm[f[1]];
    MPI_Comm_rank(comm, &me);
    struct slot *s = slot_for(t, o, f[10], f[2], varies || reduces ? PLAIN : f[4], (n + 4) * ranks);
    MPI_Datatype from_type = element_type(f[2]), to_type = from_type, pair = MPI_DATATYPE_NULL;
    const int rounds = reduces && f[2] == DOUBLES; /* then the order of operands shows, bit for bit */
    MPI_Op op =
        rounds ? (const MPI_Op[]){MPI_SUM, MPI_PROD}[f[8] % 2] : (const MPI_Op[]){MPI_SUM, MPI_MAX, MPI_BXOR}[f[8] % 3];
    sends = receives = n;
    if (!varies && !reduces) {
        from_type = make_type(f[2], f[3], n, &sends);
        to_type = make_type(f[2], f[4], n, &receives);
    }
    if (reduces && !rounds && f[8] == 3) {
        MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
        MPI_Type_commit(&pair);
        MPI_Op_create(compose, 0, &op);
        from_type = pair, sends = receives = n / 2;
    }
    s->contributed = memory_bytes(f[2], varies || reduces ? PLAIN : f[3], (n + 4) * ranks) + GUARD;
    s->contribution = malloc(s->contributed);
    for (size_t k = 0; k < s->contributed; k++) s->contribution[k] = content(o->id * 64 + rank, k, 0);
    if (rounds) thirds_and_the_like(s);
    if (in_place || (kind == BCAST && is_root))
        memcpy(s->memory, s->contribution, s->bytes < s->contributed ? s->bytes : s->contributed);
    unsigned char *from = s->contribution, *to = s->memory;
    const void *send = in_place ? MPI_IN_PLACE : from;
    s->blocks = malloc(6 * sizeof *s->blocks);
    for (int k = 0; k < 3; k++) s->blocks[k] = blocks_of(sends, me, o->id, k, from_type, extent);
    struct blocks *all = &s->blocks[0], *out = &s->blocks[1], *in = &s->blocks[2];
    struct blocks *near_all = &s->blocks[3], *near_out = &s->blocks[4], *near_in = &s->blocks[5];
    *near_all = of_neighbors(all, me, 0), *near_out = of_neighbors(out, me, 1), *near_in = of_neighbors(in, me, 0);
    switch (kind) {
    case BARRIER:
        code = BEGIN(barrier, Barrier, comm);
        break;
    case BCAST:
        code = BEGIN_FED(bcast, Bcast, to, receives, to_type, root, comm);
        break;
    case GATHER:
        code = BEGIN_FED(gather, Gather, in_place && is_root ? MPI_IN_PLACE : from, sends, from_type, to, receives,
                         to_type, root, comm);
        break;
    case GATHERV:
        code = BEGIN_FED(gatherv, Gatherv, in_place && is_root ? MPI_IN_PLACE : from, all->counts[me], from_type, to,
                         all->counts, all->places, from_type, root, comm);
        break;
    case SCATTER:
        code = BEGIN_FED(scatter, Scatter, from, sends, from_type, in_place && is_root ? MPI_IN_PLACE : to, receives,
                         to_type, root, comm);
        break;
    case SCATTERV:
        code = BEGIN_FED(scatterv, Scatterv, from, all->counts, all->places, from_type,
                         in_place && is_root ? MPI_IN_PLACE : to, all->counts[me], from_type, root, comm);
        break;
    case ALLGATHER:
        code = BEGIN_FED(allgather, Allgather, send, sends, from_type, to, receives, to_type, comm);
        break;
    case ALLGATHERV:
        code = BEGIN_FED(allgatherv, Allgatherv, send, all->counts[me], from_type, to, all->counts, all->places,
                         from_type, comm);
        break;
    case ALLTOALL:
        code = BEGIN_FED(alltoall, Alltoall, send, sends, from_type, to, receives, to_type, comm);
        break;
    case NEIGHBOR_ALLGATHER:
        code = BEGIN(neighbor_allgather, Neighbor_allgather, from, sends, from_type, to, receives, to_type, comm);
        break;
    case NEIGHBOR_ALLTOALL:
        code = BEGIN(neighbor_alltoall, Neighbor_alltoall, from, sends, from_type, to, receives, to_type, comm);
        break;
    case NEIGHBOR_ALLGATHERV:
        code = BEGIN(neighbor_allgatherv, Neighbor_allgatherv, from, all->counts[me], from_type, to, near_all->counts,
                     near_all->places, from_type, comm);
        break;
    case NEIGHBOR_ALLTOALLV:
        code = BEGIN(neighbor_alltoallv, Neighbor_alltoallv, from, near_out->counts, near_out->places, from_type, to,
                     near_in->counts, near_in->places, from_type, comm);
        break;
    case NEIGHBOR_ALLTOALLW:
        code = BEGIN(neighbor_alltoallw, Neighbor_alltoallw, from, near_out->counts, near_out->bytes_of_neighbors,
                     near_out->types, to, near_in->counts, near_in->bytes_of_neighbors, near_in->types, comm);
        break;
    case ALLTOALLV:
        code = BEGIN_FED(alltoallv, Alltoallv, from, out->counts, out->places, from_type, to, in->counts, in->places,
                         from_type, comm);
        break;
    case ALLTOALLW:
        code = BEGIN(alltoallw, Alltoallw, from, out->counts, out->bytes, out->types, to, in->counts, in->bytes,
                     in->types, comm);
        break;
    case REDUCE:
        code =
            BEGIN_FED(reduce, Reduce, in_place && is_root ? MPI_IN_PLACE : from, to, sends, from_type, op, root, comm);
        break;
    case ALLREDUCE:
        code = BEGIN_FED(allreduce, Allreduce, send, to, sends, from_type, op, comm);
        break;
    case REDUCE_SCATTER:
        code = BEGIN_FED(reduce_scatter, Reduce_scatter, from, to, all->counts, from_type, op, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        code = BEGIN_FED(reduce_scatter_block, Reduce_scatter_block, from, to, sends, from_type, op, comm);
        break;
    case SCAN:
        code = BEGIN_FED(scan, Scan, send, to, sends, from_type, op, comm);
        break;
    case EXSCAN:
        code = BEGIN_FED(exscan, Exscan, from, to, sends, from_type, op, comm);
        break;
    }
#if MPI_VERSION >= 4
    s->persistent = form == PERSISTENT;
    if (form == PERSISTENT && !code) code = MPI_Start(&s->request);
#endif
    if (form == BLOCKING) { /* what it was given is the program's again, and what it got may be looked at later */
        s->request = MPI_REQUEST_NULL;
        memset(s->contribution, 0x5a, s->contributed);
    }
    s->active = 1, s->collective = kind;
    s->undefined = kind == EXSCAN && me == 0;
    if (form == FED && !code) {
        const int in_one_piece = !varies && kind != REDUCE_SCATTER && !in_place && f[2] < PAIRS &&
                                 (reduces || f[kind == BCAST ? 4 : 3] == PLAIN);
        const int each = kind == ALLTOALL || kind == SCATTER || kind == REDUCE_SCATTER_BLOCK,
                  gives = in_one_piece && (is_root || (kind != BCAST && kind != SCATTER));
        const size_t block = pair != MPI_DATATYPE_NULL ? (size_t)sends * 8 : (size_t)n * (size_t)element_bytes(f[2]);
        code = feed(t, s, kind == BCAST ? to : from, gives ? block * (size_t)(each ? ranks : 1) : 0);
    }
    if (code) say(t, "%d collective error %d\n", o->id, class_of(code));
    /* They may go while it is under way. */
    if (!varies && !reduces) free_type(f[2], &from_type), free_type(f[2], &to_type);
    if (pair != MPI_DATATYPE_NULL) MPI_Type_free(&pair), MPI_Op_free(&op);
}

/* dup: comm from ; drop: comm disconnect */
static void do_dup(struct thread *t, const struct operation *o) {
    MPI_Comm_dup(t->comm[o->fields[1]], &t->comm[o->fields[0]]);
    MPI_Comm_set_errhandler(t->comm[o->fields[0]], MPI_ERRORS_RETURN);
}
static void do_drop(struct thread *t, const struct operation *o) {
    MPI_Comm *comm = &t->comm[o->fields[0]];
    if (o->fields[1])
        MPI_Comm_disconnect(comm);
    else
        MPI_Comm_free(comm);
}

static const struct {
    const char *name;
    void (*run)(struct thread *, const struct operation *);
} known[] = {{"send", do_send},
             {"receive", do_receive},
             {"probe", do_probe},
             {"complete", do_complete},
             {"free", do_free},
             {"begin", do_begin},
             {"declare", do_declare},
             {"end", do_end},
             {"exchange", do_exchange},
             {"rounds", do_rounds},
             {"gather", do_gather},
             {"cancel", do_cancel},
             {"cancelled", do_cancelled},
             {"together", do_together},
             {"dup", do_dup},
             {"drop", do_drop},
             {"part_init", do_part_init},
             {"part_start", do_part_start},
             {"part_ready", do_part_ready},
             {"part_look", do_part_look},
             {"part_await", do_part_await},
             {"part_wait", do_part_wait},
             {"collective", do_collective}};
enum { KNOWN = sizeof known / sizeof *known };

static void *run_thread(void *argument) {
    struct thread *t = argument;
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < KNOWN; k++)
            if (strcmp(known[k].name, t->operations[i].name) == 0) known[k].run(t, &t->operations[i]);
    for (int k = 0; k < SLOTS; k++)
        if (t->slot[k].untold) tell_content(t, &t->slot[k]);
    return NULL;
}

static void run_program(int number, int used) {
    fprintf(log_file, "begin %d\n", number), fflush(log_file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (used == 1)
        run_thread(&threads[0]);
    else {
        for (int i = 0; i < used; i++) pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
        for (int i = 0; i < used; i++) pthread_join(threads[i].id, NULL);
    }
    for (int i = 0; i < used; i++) {
        struct thread *t = &threads[i];
        fwrite(t->text, 1, t->text_bytes, log_file);
        t->text_bytes = 0;
    }
    fprintf(log_file, "end %d\n", number), fflush(log_file);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < used; i++) { /* only now: what was freed while active may be on its way until here */
        for (int k = 0; k < SLOTS; k++) free(threads[i].slot[k].memory);
        memset(threads[i].slot, 0, sizeof threads[i].slot);
        threads[i].count = 0;
    }
}

static void make_communicators(struct thread *t) {
    MPI_Comm side;
    int far = rank >= first_of_far_side(), sources[NEIGHBORS], destinations[NEIGHBORS];
    for (int k = 0; k < NEIGHBORS; k++) sources[k] = neighbor(rank, k, 0), destinations[k] = neighbor(rank, k, 1);
    for (int i = 0; i < COMMS; i++) t->comm[i] = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm[WORLD]);
    if (partitions_are_whole) MPI_Comm_dup(MPI_COMM_WORLD, &t->apart);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, NEIGHBORS, sources, MPI_UNWEIGHTED, NEIGHBORS, destinations,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t->comm[TWIN]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &t->comm[BACKWARDS]);
    MPI_Comm_split(MPI_COMM_WORLD, far, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, far ? 0 : first_of_far_side(), 3, &t->comm[INTER]);
    MPI_Comm_free(&side);
    MPI_Comm_dup(MPI_COMM_SELF, &t->comm[SELF]);
    for (int i = 0; i < FRESH; i++) MPI_Comm_set_errhandler(t->comm[i], MPI_ERRORS_RETURN);
}

int main(int argc, char **argv) {
    int provided, program = -1, used = 1, exposed = 0, room = 64 << 20, threaded = 0;
    char line[4000], name[1000];
    for (int i = 3; i < argc; i++) {
        threaded |= strcmp(argv[i], "threads") == 0;
#ifdef STRETTO_FUZZ_FORTRAN
        in_fortran |= strcmp(argv[i], "fortran") == 0;
#endif
    }
    if (threaded) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        if (provided < MPI_THREAD_MULTIPLE) return fprintf(stderr, "interpreter: no MPI_THREAD_MULTIPLE\n"), 2;
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ignoring = getenv("STRETTO_FUZZ_IGNORE") != NULL;
#ifdef STRETTO_PLAIN
    partitions_are_whole = 1;
#elif defined(MPICH_NUMVERSION)
    partitions_are_whole = threaded && MPICH_NUMVERSION < 40100000;
#endif
    const char *nonce = getenv("STRETTO_NONCE"), *trigger = getenv("STRETTO_FUZZ_TRIGGER");
    by_pages = trigger && strcmp(trigger, "pages") == 0;
    for (int k = 0; nonce && k < 16; k++) {
        unsigned byte = 0;
        if (sscanf(nonce + 2 * k, "%2x", &byte) == 1) forged_nonce[k] = byte;
    }
    snprintf(name, sizeof name, "%s.%d", argv[2], rank);
    FILE *programs = fopen(argv[1], "r");
    log_file = fopen(name, "w");
    if (!programs || !log_file)
        return fprintf(stderr, "interpreter: %s, %s: cannot open\n", argv[1], name), MPI_Abort(MPI_COMM_WORLD, 2), 2;
    for (int i = 0; i < MOST_THREADS; i++) make_communicators(&threads[i]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    /* Open MPI 4.1.4's windows over TCP know no threads; as long as there is a window no receive returns before its match. */
    if (!threaded && !ignoring)
        MPI_Win_create(&exposed, sizeof exposed, sizeof exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Datatype raw;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_BYTE}, &raw);
    MPI_Type_create_resized(raw, 0, 16, &mixed_type);
    MPI_Type_commit(&mixed_type);
    MPI_Type_free(&raw);
    void *attached = malloc(room);
    MPI_Buffer_attach(attached, room);
    while (fgets(line, sizeof line, programs)) {
        int who, thread, at = 0, more = 0;
        struct operation o = {.id = 0};
        if (sscanf(line, "program %d %d", &program, &used) == 2) continue;
        if (strncmp(line, "end", 3) == 0) {
            run_program(program, used);
            continue;
        }
        if (sscanf(line, "%d %d %11s %d%n", &who, &thread, o.name, &o.id, &at) < 4 || who != rank) continue;
        for (int k = 0; k < MOST_FIELDS && sscanf(line + at, "%d%n", &o.fields[k], &more) == 1; k++) at += more;
        struct thread *t = &threads[thread];
        if (t->count == t->room) t->operations = realloc(t->operations, (t->room = 2 * t->room + 64) * sizeof o);
        t->operations[t->count++] = o;
    }
    MPI_Buffer_detach(&attached, &room);
    free(attached);
    MPI_Type_free(&mixed_type);
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    for (int i = 0; i < MOST_THREADS; i++) {
        for (int k = 0; k < FRESH; k++) MPI_Comm_free(&threads[i].comm[k]);
        if (partitions_are_whole) MPI_Comm_free(&threads[i].apart);
    }
    fclose(log_file);
    fclose(programs);
    MPI_Finalize();
    return 0;
}
