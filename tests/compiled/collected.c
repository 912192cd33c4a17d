/* Collectives, whose ranks have them as a compiler (include/stretto/abi.h) or nobody would have them, each in another way.
 *
 *     collected mix [WAY]             all collectives, in many sizes; "N collectives"
 *     collected beside PROGRAM mix    ... ranks of odd numbers run PROGRAM: this one, compiled with -DPLAIN, which has no compiler's calls
 *     collected off_at_1 mix          ... rank 1 with STRETTO=off
 *     collected NAME                  one promise */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/abi.h>
#include <stretto/stretto.h>
#include <string.h>
#include <unistd.h>

enum { STRIP = 5000, LARGE = 40000, MOST_RANKS = 8, ACK = 8 };
enum { GAP = 2000 }; /* elements before each block, where blocks have several sizes; and one behind it */

static int rank, ranks, step;
static MPI_Comm comm;
static int *sent, *got;
static stretto_call call = {.version = STRETTO_ABI_VERSION, .line = 214, .file = "solver.c", .function = "solve"};

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "rank %d, step %d: not so: %s\n", rank, step, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int value(int of, int k) {
    return of * 1000003 + k * 17 + step;
}
static int sum(int k) {
    int all = 0;
    for (int of = 0; of < ranks; of++) all += value(of, k);
    return all;
}

/* --- the collectives, and what each gives --- */

enum which {
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    COLLECTIVES
};

struct arguments {
    enum which which;
    int n, root;
    int counts[MOST_RANKS], displs[MOST_RANKS];   /* by rank, the same on all: blocks in reversed order, with gaps */
    int scounts[MOST_RANKS], sdispls[MOST_RANKS]; /* of alltoallv */
    int rcounts[MOST_RANKS], rdispls[MOST_RANKS];
};

#define LIST(DO, T, OP, COMM)                                                                                  \
    DO(BCAST, bcast, Bcast, rank == a->root ? sent : got, a->n, T, a->root, COMM)                              \
    DO(GATHER, gather, Gather, sent, a->n, T, got, a->n, T, a->root, COMM)                                     \
    DO(GATHERV, gatherv, Gatherv, sent, a->counts[rank], T, got, a->counts, a->displs, T, a->root, COMM)       \
    DO(SCATTER, scatter, Scatter, sent, a->n, T, got, a->n, T, a->root, COMM)                                  \
    DO(SCATTERV, scatterv, Scatterv, sent, a->counts, a->displs, T, got, a->counts[rank], T, a->root, COMM)    \
    DO(ALLGATHER, allgather, Allgather, sent, a->n, T, got, a->n, T, COMM)                                     \
    DO(ALLGATHERV, allgatherv, Allgatherv, sent, a->counts[rank], T, got, a->counts, a->displs, T, COMM)       \
    DO(ALLTOALL, alltoall, Alltoall, sent, a->n, T, got, a->n, T, COMM)                                        \
    DO(ALLTOALLV, alltoallv, Alltoallv, sent, a->scounts, a->sdispls, T, got, a->rcounts, a->rdispls, T, COMM) \
    DO(REDUCE, reduce, Reduce, sent, got, a->n, T, OP, a->root, COMM)                                          \
    DO(ALLREDUCE, allreduce, Allreduce, sent, got, a->n, T, OP, COMM)                                          \
    DO(REDUCE_SCATTER, reduce_scatter, Reduce_scatter, sent, got, a->counts, T, OP, COMM)                      \
    DO(REDUCE_SCATTER_BLOCK, reduce_scatter_block, Reduce_scatter_block, sent, got, a->n, T, OP, COMM)

static int plain(const struct arguments *a) {
#define PLAIN_CALL(which, name, X, ...) \
    case which:                         \
        return MPI_##X(__VA_ARGS__);
    switch (a->which) {
        LIST(PLAIN_CALL, MPI_INT, MPI_SUM, comm)
    default:
        return MPI_ERR_OTHER;
    }
}

#ifndef PLAIN
static stretto_handle begin(const struct arguments *a) {
#define BEGIN(which, name, X, ...) \
    case which:                    \
        return stretto_##name##_begin(&call, __VA_ARGS__);
    switch (a->which) {
        LIST(BEGIN, MPI_INT, MPI_SUM, comm)
    default:
        return 0;
    }
}

static stretto_handle open(stretto_handle h, const struct arguments *a) {
#define OPEN(which, name, X, ...) \
    case which:                   \
        return stretto_##name##_open(h, &call, __VA_ARGS__);
    switch (a->which) {
        LIST(OPEN, MPI_INT, MPI_SUM, comm)
    default:
        return 0;
    }
}

#ifndef MPI_ABI_VERSION
static stretto_handle begin_f(const struct arguments *a) {
    const MPI_Fint type = MPI_Type_c2f(MPI_INT), op = MPI_Op_c2f(MPI_SUM), in = MPI_Comm_c2f(comm);
#define BEGIN_F(which, name, X, ...) \
    case which:                      \
        return stretto_##name##_begin_f(&call, __VA_ARGS__);
    switch (a->which) {
        LIST(BEGIN_F, type, op, in)
    default:
        return 0;
    }
}

static stretto_handle open_f(stretto_handle h, const struct arguments *a) {
    const MPI_Fint type = MPI_Type_c2f(MPI_INT), op = MPI_Op_c2f(MPI_SUM), in = MPI_Comm_c2f(comm);
#define OPEN_F(which, name, X, ...) \
    case which:                     \
        return stretto_##name##_open_f(h, &call, __VA_ARGS__);
    switch (a->which) {
        LIST(OPEN_F, type, op, in)
    default:
        return 0;
    }
}
#endif
#endif

static int sum_of(const int *counts) {
    int all = 0;
    for (int k = 0; k < ranks; k++) all += counts[k];
    return all;
}

/* Elements that a rank fills, and that it looks at. */
static int given(const struct arguments *a) {
    switch (a->which) {
    case SCATTER:
        return rank == a->root ? ranks * a->n : 0;
    case SCATTERV:
        return rank == a->root ? sum_of(a->counts) + (GAP + 1) * ranks : 0;
    case GATHERV:
    case ALLGATHERV:
        return a->counts[rank];
    case ALLTOALL:
    case REDUCE_SCATTER_BLOCK:
        return ranks * a->n;
    case ALLTOALLV:
        return sum_of(a->scounts) + (GAP + 1) * ranks;
    case REDUCE_SCATTER:
        return sum_of(a->counts);
    case BCAST:
        return rank == a->root ? a->n : 0;
    default:
        return a->n;
    }
}
static int taken(const struct arguments *a) {
    switch (a->which) {
    case BCAST:
        return rank == a->root ? 0 : a->n;
    case GATHER:
        return rank == a->root ? ranks * a->n : 0;
    case GATHERV:
        return rank == a->root ? sum_of(a->counts) + (GAP + 1) * ranks : 0;
    case ALLGATHER:
    case ALLTOALL:
        return ranks * a->n;
    case ALLGATHERV:
        return sum_of(a->counts) + (GAP + 1) * ranks;
    case ALLTOALLV:
        return sum_of(a->rcounts) + (GAP + 1) * ranks;
    case SCATTERV:
    case REDUCE_SCATTER:
        return a->counts[rank];
    case REDUCE:
        return rank == a->root ? a->n : 0;
    default:
        return a->n;
    }
}

/* What is at a place of blocks of several sizes: of which rank, and which element of its block; else -1. */
static int block_at(const int *counts, const int *displs, int k) {
    for (int of = 0; of < ranks; of++)
        if (k >= displs[of] && k < displs[of] + counts[of]) return of;
    return -1;
}

enum { UNTOUCHED = -77 };

static int expected(const struct arguments *a, int k) {
    int of, before = 0;
    switch (a->which) {
    case BCAST:
        return value(a->root, k);
    case GATHER:
    case ALLGATHER:
        return value(k / a->n, k % a->n);
    case GATHERV:
    case ALLGATHERV:
        of = block_at(a->counts, a->displs, k);
        return of < 0 ? UNTOUCHED : value(of, k - a->displs[of]);
    case SCATTER:
        return value(a->root, rank * a->n + k);
    case SCATTERV:
        return value(a->root, a->displs[rank] + k);
    case ALLTOALL:
        return value(k / a->n, rank * a->n + k % a->n);
    case ALLTOALLV:
        of = block_at(a->rcounts, a->rdispls, k);
        if (of < 0) return UNTOUCHED;
        /* Where the other one's block for us lies. */
        for (int to = ranks - 1; to > rank; to--) before += a->n + of + 2 * to + GAP + 1;
        return value(of, before + GAP + k - a->rdispls[of]);
    case REDUCE_SCATTER:
        for (int k = 0; k < rank; k++) before += a->counts[k];
        return sum(before + k);
    case REDUCE_SCATTER_BLOCK:
        return sum(rank * a->n + k);
    default:
        return sum(k);
    }
}

static void lay_out(int *displs, const int *counts) {
    int at = 0;
    for (int of = ranks - 1; of >= 0; of--) displs[of] = at + GAP, at += counts[of] + GAP + 1;
}

static struct arguments arguments(enum which which, int n, int root) {
    struct arguments a = {.which = which, .n = n, .root = root};
    for (int of = 0; of < ranks; of++) {
        a.counts[of] = n + of;
        a.scounts[of] = n + rank + 2 * of;
        a.rcounts[of] = n + of + 2 * rank;
    }
    lay_out(a.displs, a.counts), lay_out(a.sdispls, a.scounts), lay_out(a.rdispls, a.rcounts);
    return a;
}

static void fill(long low, long high) { /* elements */
    for (long k = low; k < high; k++) sent[k] = value(rank, (int)k);
}
static void check(const struct arguments *a, long low, long high) {
    for (long k = low; k < high; k++) require(got[k] == expected(a, (int)k), "the collective gives what it should");
}
static void spoil(const struct arguments *a) {
    for (int k = 0; k < given(a); k++) sent[k] = UNTOUCHED;
    for (int k = 0; k < taken(a); k++) got[k] = UNTOUCHED;
}

/* --- ways --- */

enum way { CALLS, BELOW, ABOVE, PIECES, OPENS, BEGINS, FORTRAN, ALIKE, WAYS };

static long least(long a, long b) {
    return a < b ? a : b;
}

static void call_plain(const struct arguments *a) {
    fill(0, given(a));
    require(plain(a) == MPI_SUCCESS, "the call succeeds");
    check(a, 0, taken(a));
}

#ifdef PLAIN
static void collect(const struct arguments *a, enum way way) {
    (void)way;
    spoil(a);
    call_plain(a);
}
#else
enum { EACH = STRIP / 4 }; /* elements */

static void feed(stretto_handle h, long n, enum way way) {
    if (way == ABOVE)
        for (long k = n; k > 0; k -= EACH) {
            const long low = k > EACH ? k - EACH : 0;
            fill(low, k);
            stretto_ready_above(h, sent, 4 * low);
        }
    else if (way == PIECES)
        for (int odd = 1; odd >= 0; odd--)
            for (long k = odd * EACH; k < n; k += 2 * EACH) {
                fill(k, least(k + EACH, n));
                stretto_ready(h, sent, 4 * k, 4 * least(k + EACH, n));
            }
    else if (way == ALIKE && n % ranks == 0) /* a part of each of as many blocks */
        for (long k = 0, block = n / ranks; k < block; k += EACH) {
            const long end = least(k + EACH, block);
            for (long b = 0; b < ranks; b++) fill(b * block + k, b * block + end);
            stretto_ready_blocks(h, sent, 4 * k, 4 * end, 4 * block, ranks);
        }
    else
        for (long k = 0; k < n; k += EACH) {
            fill(k, least(k + EACH, n));
            stretto_ready_below(h, sent, 4 * least(k + EACH, n));
        }
}

static void use(stretto_handle h, const struct arguments *a, enum way way) {
    const long n = taken(a);
    if (way == ABOVE)
        for (long k = n; k > 0; k -= EACH) {
            const long low = k > EACH ? k - EACH : 0;
            stretto_need_above(h, got, 4 * low);
            check(a, low, k);
        }
    else if (way == PIECES)
        for (int odd = 1; odd >= 0; odd--)
            for (long k = odd * EACH; k < n; k += 2 * EACH) {
                stretto_need(h, got, 4 * k, 4 * least(k + EACH, n));
                check(a, k, least(k + EACH, n));
            }
    else if (way == ALIKE && n % ranks == 0)
        for (long k = 0, block = n / ranks; k < block; k += EACH) {
            const long end = least(k + EACH, block);
            stretto_need_blocks(h, got, 4 * k, 4 * end, 4 * block, ranks);
            for (long b = 0; b < ranks; b++) check(a, b * block + k, b * block + end);
        }
    else
        for (long k = 0; k < n; k += EACH) {
            stretto_need_below(h, got, 4 * least(k + EACH, n));
            check(a, k, least(k + EACH, n));
        }
}

static void collect(const struct arguments *a, enum way way) {
    stretto_handle h = 0;
    spoil(a);
    if (way == CALLS) {
        call_plain(a);
        return;
    }
#ifndef MPI_ABI_VERSION
    if (way == FORTRAN) {
        MPI_Fint error = 77;
        h = begin_f(a);
        feed(h, given(a), way);
        h = open_f(h, a);
        use(h, a, way);
        stretto_collective_close_f(h, &error);
        require(error == MPI_SUCCESS, "the call succeeds");
        check(a, 0, taken(a));
        return;
    }
#endif
    if (way == OPENS)
        fill(0, given(a));
    else {
        h = begin(a);
        feed(h, given(a), way);
    }
    h = open(h, a);
    if (way != BEGINS) use(h, a, way);
    require(stretto_collective_close(h) == MPI_SUCCESS, "the call succeeds");
    check(a, 0, taken(a));
}

/* Between compiled ones, an annotated one of all ranks. */
static void annotated(void) {
    MPI_Request request;
    const struct arguments a = arguments(ALLTOALL, 6000, 0);
    spoil(&a);
    MPIX_Delta_alltoall_begin(sent, a.n, MPI_INT, got, a.n, MPI_INT, comm, &request);
    for (long k = 0; k < given(&a); k += EACH) {
        const long end = least(k + EACH, given(&a));
        fill(k, end);
        MPIX_Delta_send_data(sent + k, (size_t)(end - k) * 4);
    }
    MPIX_Delta_collective_end(&request);
    for (long k = 0; k < taken(&a); k += EACH) {
        const long end = least(k + EACH, taken(&a));
        MPIX_Delta_wait_data(got + k, (size_t)(end - k) * 4);
        check(&a, k, end);
    }
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
}
#endif

static void mix(int way, int times) {
    const int sizes[] = {0, 1, 300, 5000, 13001};
    int done = 0;
    for (int time = 0; time < times; time++)
        for (int which = 0; which < COLLECTIVES; which++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                const struct arguments a = arguments(which, sizes[k], (step + time) % ranks);
                collect(&a, way >= 0 ? way : (rank * 3 + step + time * 5) % WAYS);
                step++, done++;
            }
    if (rank == 0) printf("%d collectives\n", done);
}

#ifndef PLAIN
/* Each waits for the other, four times. */
static void quarters(void) {
    const struct arguments a = arguments(BCAST, LARGE, 0);
    const long each = LARGE / 4, beside = 5000; /* what may be in the next quarter's lane */
    int word = 1;
    stretto_handle h = 0;
    if (rank == 0) {
        h = begin(&a);
        require(h != 0, "it is fed");
        for (long k = 0; k < 4; k++) {
            if (k) MPI_Recv(&word, 1, MPI_INT, 1, ACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fill(k * each, (k + 1) * each);
            stretto_ready_below(h, sent, 4 * (k + 1) * each);
        }
    }
    h = open(h, &a);
    for (long k = 0; rank == 1 && k < 3; k++) {
        require(h != 0, "it is used by strips");
        stretto_need_below(h, got, 4 * ((k + 1) * each - beside));
        check(&a, 0, (k + 1) * each - beside);
        MPI_Send(&word, 1, MPI_INT, 0, ACK, MPI_COMM_WORLD);
    }
    stretto_collective_close(h);
    check(&a, 0, taken(&a));
}

/* What leaves early is written again. */
static void written_again(const char *how) {
    /* More than a window of lanes. */
    const struct arguments a = arguments(ALLTOALL, 60 * LARGE, 0);
    if (!strcmp(how, "checked")) call.flags = STRETTO_CALL_CHECKED;
    spoil(&a);
    stretto_handle h = begin(&a);
    require(h != 0, "it is fed");
    if (!strcmp(how, "held")) stretto_hold_unless(h, sent, 0);
    if (!strcmp(how, "overlaps")) stretto_hold_if_other_overlaps(h, sent, got + 5, got + 6);
    if (!strcmp(how, "meets")) stretto_hold_if_overlap(h, sent, sent + 5, sent + 6);
    stretto_ready_below(h, sent, 4L * given(&a));
    usleep(20000);
    MPI_Pcontrol(0);
    for (int k = 0; k < taken(&a); k++) require(strcmp(how, "overlaps") || got[k] == UNTOUCHED, "nothing comes early");
    fill(0, given(&a));
    h = open(h, &a);
    if (rank == 1) usleep(300000);
    if (!strcmp(how, "held")) { /* the contribution, while the result is read */
        stretto_hold_if_other_overlaps(h, got, sent, sent + 1);
        for (int k = 0; k < given(&a); k++) sent[k] = UNTOUCHED;
    }
    use(h, &a, BELOW);
    stretto_collective_close(h);
}

static void in_place(void) {
    const int n = 6000;
    for (int fed = 0; fed < 2; fed++, step++) {
        stretto_handle h = 0;
        for (int k = 0; k < n; k++) got[k] = value(rank, k);
        if (fed) h = stretto_allreduce_begin(&call, MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, comm);
        require(h == 0, "in place nothing leaves early");
        h = stretto_allreduce_open(h, &call, MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, comm);
        stretto_need_below(h, got, 4L * n / 2);
        for (int k = 0; k < n / 2; k++) require(got[k] == sum(k), "the sum");
        stretto_collective_close(h);
        for (int k = 0; k < n; k++) require(got[k] == sum(k), "the sum");

        for (int k = 0; k < n; k++) got[rank * n + k] = value(rank, k);
        h = fed ? stretto_allgather_begin(&call, MPI_IN_PLACE, n, MPI_INT, got, n, MPI_INT, comm) : 0;
        require(h == 0, "in place nothing leaves early");
        h = stretto_allgather_open(h, &call, MPI_IN_PLACE, n, MPI_INT, got, n, MPI_INT, comm);
        stretto_collective_close(h);
        for (int k = 0; k < n * ranks; k++) require(got[k] == value(k / n, k % n), "what was gathered");

        for (int k = 0; k < n * ranks; k++) got[k] = value(rank, k);
        h = fed ? stretto_alltoall_begin(&call, MPI_IN_PLACE, n, MPI_INT, got, n, MPI_INT, comm) : 0;
        require(h == 0, "in place nothing leaves early");
        h = stretto_alltoall_open(h, &call, MPI_IN_PLACE, n, MPI_INT, got, n, MPI_INT, comm);
        stretto_need_below(h, got, 4L * n);
        for (int k = 0; k < n; k++) require(got[k] == value(0, rank * n + k), "what was exchanged");
        stretto_collective_close(h);
        for (int k = 0; k < n * ranks; k++) require(got[k] == value(k / n, rank * n + k % n), "what was exchanged");
    }
}

/* Every second element: nothing of it leaves early. */
static void derived(void) {
    const int n = 5000;
    MPI_Datatype two;
    MPI_Type_create_resized(MPI_INT, 0, 8, &two);
    MPI_Type_commit(&two);
    for (int fed = 0; fed < 2; fed++, step++) {
        const int feeds = (fed + rank) % 2;
        for (int k = 0; k < 2 * n * ranks; k++) got[k] = UNTOUCHED, sent[k] = value(rank, k);
        stretto_handle h = feeds ? stretto_alltoall_begin(&call, sent, n, two, got, n, two, comm) : 0;
        require(h == 0, "of derived types nothing leaves early");
        h = stretto_alltoall_open(h, &call, sent, n, two, got, n, two, comm);
        stretto_need_below(h, got, 4L * n);
        stretto_collective_close(h);
        for (int k = 0; k < 2 * n * ranks; k++)
            require(got[k] == (k % 2 ? UNTOUCHED : value(k / (2 * n), rank * 2 * n + k % (2 * n))), "every second one");
        /* Its contribution is in one piece, its result is not. */
        fill(0, n * ranks);
        h = feeds ? stretto_alltoall_begin(&call, sent, n, MPI_INT, got, n, two, comm) : 0;
        stretto_ready_below(h, sent, 4L * n * ranks);
        h = stretto_alltoall_open(h, &call, sent, n, MPI_INT, got, n, two, comm);
        stretto_need_below(h, got, 8);
        require(got[0] == value(0, rank * n), "the first one");
        stretto_collective_close(h);
        for (int k = 0; k < 2 * n * ranks; k += 2)
            require(got[k] == value(k / (2 * n), rank * n + k % (2 * n) / 2), "every second one");
    }
    MPI_Type_free(&two);
}

static void between_groups(void) {
    MPI_Comm mine, both;
    const int n = 6000, odd = rank % 2;
    MPI_Comm_split(comm, odd, rank, &mine);
    MPI_Intercomm_create(mine, 0, comm, !odd, 5, &both);
    int others;
    MPI_Comm_remote_size(both, &others);
    for (int fed = 0; fed < 2; fed++, step++) {
        fill(0, (long)n * others);
        stretto_handle h =
            (fed + rank) % 2 ? stretto_alltoall_begin(&call, sent, n, MPI_INT, got, n, MPI_INT, both) : 0;
        stretto_ready_below(h, sent, 4L * n * others);
        h = stretto_alltoall_open(h, &call, sent, n, MPI_INT, got, n, MPI_INT, both);
        stretto_need_below(h, got, 4L * n);
        stretto_collective_close(h);
        for (int k = 0; k < n * others; k++)
            require(got[k] == value(2 * (k / n) + !odd, rank / 2 * n + k % n), "the other group's");
        const int root = odd ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
        if (root == MPI_ROOT) fill(0, n);
        int *const buf = odd ? got : sent;
        h = fed ? stretto_bcast_begin(&call, buf, n, MPI_INT, root, both) : 0;
        stretto_ready_below(h, buf, 4L * n);
        h = stretto_bcast_open(h, &call, buf, n, MPI_INT, root, both);
        stretto_collective_close(h);
        for (int k = 0; odd && k < n; k++) require(got[k] == value(0, k), "the other group's root's");
    }
    MPI_Comm_free(&both), MPI_Comm_free(&mine);
}

static void same_error(int ours, int theirs, const char *what) {
    int a = 0, b = 0;
    if (ours) MPI_Error_class(ours, &a);
    if (theirs) MPI_Error_class(theirs, &b);
    require(a == b && a, what);
}

static void errors(void) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int n = 6000;
    stretto_handle h = stretto_allreduce_begin(&call, sent, got, n, MPI_INT, MPI_OP_NULL, comm);
    stretto_ready_below(h, sent, 400);
    h = stretto_allreduce_open(h, &call, sent, got, n, MPI_INT, MPI_OP_NULL, comm);
    same_error(stretto_collective_close(h), MPI_Allreduce(sent, got, n, MPI_INT, MPI_OP_NULL, comm), "no operation");
    h = stretto_bcast_begin(&call, sent, n, MPI_INT, ranks, comm);
    h = stretto_bcast_open(h, &call, sent, n, MPI_INT, ranks, comm);
    same_error(stretto_collective_close(h), MPI_Bcast(sent, n, MPI_INT, ranks, comm), "a root that is none");
    h = stretto_alltoall_begin(&call, sent, n, MPI_DATATYPE_NULL, got, n, MPI_INT, comm);
    h = stretto_alltoall_open(h, &call, sent, n, MPI_DATATYPE_NULL, got, n, MPI_INT, comm);
    same_error(stretto_collective_close(h), MPI_Alltoall(sent, n, MPI_DATATYPE_NULL, got, n, MPI_INT, comm), "no type");
    h = stretto_alltoall_begin(&call, sent, n, MPI_INT, got, n, MPI_INT, MPI_COMM_NULL);
    h = stretto_alltoall_open(h, &call, sent, n, MPI_INT, got, n, MPI_INT, MPI_COMM_NULL);
    same_error(stretto_collective_close(h), MPI_Alltoall(sent, n, MPI_INT, got, n, MPI_INT, MPI_COMM_NULL), "nowhere");
}

struct part {
    stretto_handle handle;
    long begin, n;
};
static void *say(void *of) {
    const struct part *part = of;
    for (long k = part->begin; k < part->n; k += 4 * EACH) {
        const long end = least(k + EACH, part->n);
        fill(k, end), stretto_ready(part->handle, sent, 4 * k, 4 * end);
    }
    return NULL;
}
static void threads(void) {
    const struct arguments a = arguments(ALLTOALL, LARGE / 2, 0);
    pthread_t others[3];
    struct part parts[4];
    spoil(&a);
    stretto_handle h = begin(&a);
    require(h != 0, "it is fed");
    for (int k = 0; k < 4; k++) parts[k] = (struct part){h, k * EACH, given(&a)};
    for (int k = 0; k < 3; k++) pthread_create(&others[k], NULL, say, &parts[k]);
    say(&parts[3]);
    for (int k = 0; k < 3; k++) pthread_join(others[k], NULL);
    h = open(h, &a);
    use(h, &a, BELOW);
    stretto_collective_close(h);
}

/* Each of the others makes a file before its call. */
static void others_have_come(const char *file) {
    const struct arguments a = arguments(ALLGATHER, 20000, 0);
    stretto_handle h = 0;
    if (rank == 1) {
        usleep(200000);
        fclose(fopen(file, "w"));
    } else
        h = begin(&a);
    feed(h, given(&a), BELOW);
    h = open(h, &a);
    require(access(file, F_OK) == 0, "what the others did before their calls is done");
    use(h, &a, BELOW);
    stretto_collective_close(h);
}

/* A send that is open: who begins then would wait for who waits for that send. */
static void beside_a_send(void) {
    const struct arguments a = arguments(ALLTOALL, 6000, 0);
    const int n = 100000;
    char *message = calloc((size_t)n, 1);
    static stretto_call other = {.version = STRETTO_ABI_VERSION};
    if (rank == 1) {
        MPI_Recv(message, n, MPI_CHAR, 0, 3, comm, MPI_STATUS_IGNORE);
        collect(&a, CALLS);
    } else if (rank == 0) {
        stretto_handle send = stretto_send_begin(&other, message, n, MPI_CHAR, 1, 3, comm);
        stretto_handle h = send ? begin(&a) : 0; /* one that is not begun leaves at its end: nothing may wait before */
        require(!h, "it is not fed beside a send");
        stretto_send_end(send, &other, message, n, MPI_CHAR, 1, 3, comm);
        feed(h, given(&a), BELOW);
        h = open(h, &a);
        use(h, &a, BELOW);
        stretto_collective_close(h);
    } else
        collect(&a, BELOW);
    free(message);
}
#endif

static int number(void) { /* before MPI_Init */
    const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (int k = 0; k < 3; k++)
        if (getenv(names[k])) return atoi(getenv(names[k]));
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "beside")) {
        argv += 2, argc -= 2;
        if (number() % 2) execv(argv[0], argv);
    }
    if (argc > 2 && !strcmp(argv[1], "off_at_1")) {
        argv++, argc--;
        if (number() == 1) setenv("STRETTO", "off", 1);
    }
    const char *name = argc > 1 ? argv[1] : "mix";
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
    sent = malloc(sizeof *sent * 120 * LARGE), got = malloc(sizeof *got * 120 * LARGE);
    if (!strcmp(name, "mix")) mix(argc > 2 ? atoi(argv[2]) : -1, argc > 3 ? atoi(argv[3]) : 2);
#ifndef PLAIN
    if (!strcmp(name, "annotated"))
        for (int k = 0; k < 5; k++) mix(-1, 1), annotated();
    if (!strcmp(name, "quarters")) quarters();
    if (!strcmp(name, "held") || !strcmp(name, "overlaps") || !strcmp(name, "meets") || !strcmp(name, "checked"))
        written_again(name);
    if (!strcmp(name, "in_place")) in_place();
    if (!strcmp(name, "derived")) derived();
    if (!strcmp(name, "between_groups")) between_groups();
    if (!strcmp(name, "errors")) errors();
    if (!strcmp(name, "beside_a_send"))
        for (int k = 0; k < 60; k++) beside_a_send();
    if (!strcmp(name, "threads")) threads();
    if (!strcmp(name, "others_have_come")) others_have_come(argv[2]);
    if (!strcmp(name, "later")) {
        call.version = STRETTO_ABI_VERSION + 1;
        mix(BELOW, 1);
    }
    if (!strcmp(name, "unended")) {
        const struct arguments a = arguments(ALLTOALL, 6000, 0);
        if (rank == 0)
            begin(&a);
        else
            plain(&a);
    }
#endif
    MPI_Comm_free(&comm);
    MPI_Finalize();
    free(sent), free(got);
    return 0;
}
