/* What docs/mdmp.md promises, a sentence each, by the library form. In C and in C++.
 *
 *     promises NAME */
#define STRETTO_MDMP_CALLS
#include <stretto/mdmp.h>

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <array>
#include <complex>
#include <vector>
#else
#include <complex.h>
#include <stdbool.h>
#endif

static int rank, ranks, next, prev; /* of the ring */

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "rank %d: not so: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void know(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks, prev = (rank + ranks - 1) % ranks;
}

static void begin(int level) {
    int provided;
    MPI_Init_thread(NULL, NULL, level, &provided);
    require(provided >= level, "MPI has this thread level");
    know();
}

static void *memory(size_t bytes) {
    void *all = calloc(bytes ? bytes : 1, 1);
    require(all != NULL, "there is memory");
    return all;
}

static unsigned char byte_of(int of, size_t k, int turn) {
    return (unsigned char)((size_t)of * 101 + k * 7 + (k >> 8) + (size_t)turn * 13);
}

static void fill(unsigned char *bytes, size_t n, int turn) {
    for (size_t k = 0; k < n; k++) bytes[k] = byte_of(rank, k, turn);
}

static void check(const unsigned char *bytes, size_t n, int of, int turn) {
    for (size_t k = 0; k < n; k++) require(bytes[k] == byte_of(of, k, turn), "what comes is what was sent");
}

/* --- messages --- */

/* Short ones travel with their header, longer ones behind it, long ones may be framed. */
static void messages_of_any_size_come(void) {
    static const size_t sizes[] = {0,    1,     100,   3943,  3944,  3945,   3946,   4096,
                                   4097, 16223, 16224, 16225, 65536, 300000, 3000001};
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 3; turn++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            const size_t n = sizes[size];
            unsigned char *out = (unsigned char *)memory(n), *in = (unsigned char *)memory(n + 1);
            fill(out, n, turn);
            in[n] = 77;
            MDMP_EXCHANGE();
            MDMP_RECV(in[0], n, prev);
            MDMP_SEND(out[0], n, next);
            MDMP_EXCHANGE_END();
            check(in, n, prev, turn);
            require(in[n] == 77, "nothing is written behind the section");
            free(out), free(in);
        }
    MDMP_REGION_END();
    MPI_Finalize();
}

static void either_order_is_right(void) {
    enum { N = 100000 };
    unsigned char *out = (unsigned char *)memory(N), *in = (unsigned char *)memory(N);
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 4; turn++) {
        fill(out, N, turn);
        MDMP_EXCHANGE();
        if (turn < 2 ? turn : (rank + turn) % 2) { /* all alike, and each other than its neighbours */
            MDMP_SEND(out[0], N, next);
            MDMP_RECV(in[0], N, prev);
        } else {
            MDMP_RECV(in[0], N, prev);
            MDMP_SEND(out[0], N, next);
        }
        MDMP_EXCHANGE_END();
        check(in, N, prev, turn);
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(out), free(in);
}

static void alone_a_directive_waits(void) {
    enum { N = 50000 };
    unsigned char *a = (unsigned char *)memory(N);
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 4; turn++) {
        if (rank == 0) {
            fill(a, N, turn);
            MDMP_SEND(a[0], N, 1);
            memset(a, 0, N); /* it may be written again */
        } else if (rank == 1) {
            MDMP_RECV(a[0], N, 0);
            check(a, N, 0, turn);
        }
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(a);
}

static void a_short_send_has_the_value_at_its_directive(void) {
    double x, got[3] = {0, 0, 0};
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    MDMP_EXCHANGE();
    for (int k = 0; k < 3; k++) {
        x = rank + 0.25 * k;
        MDMP_SEND(x, 1, next);
        MDMP_RECV(got[k], 1, prev);
    }
    x = -1;
    MDMP_EXCHANGE_END();
    for (int k = 0; k < 3; k++) require(got[k] == prev + 0.25 * k, "each send has its own value");
    MDMP_REGION_END();
    MPI_Finalize();
}

static void several_sends_of_the_same_data_are_right(void) {
    enum { N = 30000 };
    unsigned char *out = (unsigned char *)memory(N), *in = (unsigned char *)memory((size_t)N * 8);
    begin(MPI_THREAD_SINGLE);
    fill(out, N, 0);
    MDMP_REGION();
    MDMP_EXCHANGE();
    for (int of = 0; of < ranks; of++) {
        MDMP_RECV(in[of * N], N, of); /* also of itself */
        MDMP_SEND(out[0], N, of);
    }
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    for (int of = 0; of < ranks; of++) check(in + (size_t)of * N, N, of, 0);
    MPI_Finalize();
    free(out), free(in);
}

static void none_takes_part_in_nothing(void) {
    int in[4] = {5, 6, 7, 8}, out = 9;
    begin(MPI_THREAD_SINGLE);
    const int after = rank + 1 < ranks ? rank + 1 : MDMP_NONE, before = rank > 0 ? rank - 1 : MDMP_NONE;
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_RECV(in[0], 1, before);
    MDMP_RECV(in[1], 2, MDMP_NONE);
    MDMP_SEND(out, 1, after);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    require(in[0] == (rank > 0 ? 9 : 5) && in[1] == 6 && in[2] == 7 && in[3] == 8, "none changes nothing");
    MPI_Finalize();
}

/* --- sections --- */

static void columns_and_rows_are_sections(void) {
    enum { ROWS = 700, COLUMNS = 37, W = COLUMNS + 2 };
    static double a[ROWS + 2][W];
    begin(MPI_THREAD_SINGLE);
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < W; j++) a[i][j] = rank * 1e6 + i * 1e3 + j;
    MDMP_REGION();
    MDMP_EXCHANGE(); /* halos lie between what is sent, in the same columns */
    MDMP_RECV_SECTION(a[1][0], (ROWS), (W), prev);
    MDMP_RECV_SECTION(a[1][COLUMNS + 1], (ROWS), (W), next);
    MDMP_SEND_SECTION(a[1][COLUMNS], (ROWS), (W), next);
    MDMP_SEND_SECTION(a[1][1], (ROWS), (W), prev);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < W; j++) {
            const int halo = i > 0 && i <= ROWS && (j == 0 || j == COLUMNS + 1);
            const double its = !halo    ? rank * 1e6 + i * 1e3 + j
                               : j == 0 ? prev * 1e6 + i * 1e3 + (COLUMNS + 0)
                                        : next * 1e6 + i * 1e3 + 1;
            require(a[i][j] == its, "each column has come, and nothing else has changed");
        }
    MPI_Finalize();
}

static void sections_have_several_dimensions(void) {
    enum { L = 9, M = 11, N = 13 };
    static int a[L][M][N], b[L][M][N];
    begin(MPI_THREAD_SINGLE);
    for (int i = 0; i < L; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < N; k++) a[i][j][k] = rank * 10000 + i * 1000 + j * 30 + k, b[i][j][k] = -1;
    MDMP_REGION();
    MDMP_EXCHANGE();
    /* Of every second plane three rows, each third element of them, backwards; they come as a block. */
    MDMP_SEND_SECTION(a[0][2][12], (4, 3, 5), (2 * M * N, N, -3), next);
    MDMP_RECV_SECTION(b[1][1][1], (4, 3, 5), (M * N, N, 1), prev);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    for (int i = 0; i < L; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < N; k++) {
                const int within = i >= 1 && i < 5 && j >= 1 && j < 4 && k >= 1 && k < 6;
                const int its = prev * 10000 + 2 * (i - 1) * 1000 + (j + 1) * 30 + 12 - 3 * (k - 1);
                require(b[i][j][k] == (within ? its : -1), "elements come in their order");
            }
    MPI_Finalize();
}

static void large_sections_with_gaps_come(void) {
    enum { N = 100000 };
    short *out = (short *)memory((size_t)3 * N * sizeof(short)), *in = (short *)memory((size_t)2 * N * sizeof(short));
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < 3 * N; k++) out[k] = (short)(rank * 7 + k + turn);
        for (int k = 0; k < 2 * N; k++) in[k] = -1;
        MDMP_EXCHANGE();
        MDMP_RECV_SECTION(in[1], (N), (2), prev);
        MDMP_SEND_SECTION(out[0], (N), (3), next);
        MDMP_EXCHANGE_END();
        for (int k = 0; k < 2 * N; k++)
            require(in[k] == (k % 2 ? (short)(prev * 7 + k / 2 * 3 + turn) : -1), "elements come to their places");
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(out), free(in);
}

static void no_elements_are_a_message(void) {
    int a[4] = {1, 2, 3, 4}, word = 0;
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND_SECTION(a[0], (0, 3), (2, 1), next);
    MDMP_SEND(rank, 1, next);
    MDMP_RECV(a[0], 0, prev);
    MDMP_RECV(word, 1, prev);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    require(a[0] == 1 && word == prev, "the empty one matches the empty one");
    MPI_Finalize();
}

/* Every rank knows all messages of all, and what each holds. */
static unsigned state = 12345;
static int below(int n) {
    state = state * 1103515245u + 12345u;
    return (int)(state >> 16) % n;
}

enum { MOST = 12 };

struct message {
    int from, to, tag; /* -1: implied */
    int n, out_gap, in_gap;
    short *out, *in;
};

static short element_of(const struct message *m, int k) {
    return (short)(m->from * 1000 + m->tag * 77 + m->n + k * 3);
}

static void draw(struct message *m) {
    static const int sizes[] = {0, 1, 7, 1000, 1972, 1973, 5000, 60000};
    m->from = below(ranks), m->to = below(ranks), m->tag = below(4) - 1;
    m->n = sizes[below(8)];
    m->out_gap = 1 + below(3), m->in_gap = 1 + below(3);
    m->out = m->in = NULL;
    if (m->from == rank) {
        m->out = (short *)memory((size_t)m->n * (size_t)m->out_gap * sizeof(short) + 8);
        for (int k = 0; k < m->n; k++) m->out[k * m->out_gap] = element_of(m, k);
    }
    if (m->to == rank) {
        m->in = (short *)memory((size_t)m->n * (size_t)m->in_gap * sizeof(short) + 8);
        for (int k = 0; k < m->n * m->in_gap; k++) m->in[k] = -5;
    }
}

static void say(const struct message *m, int sends) {
    if (sends && m->out) {
        if (m->tag < 0)
            MDMP_SEND_SECTION(m->out[0], (m->n), (m->out_gap), m->to);
        else
            MDMP_SEND_SECTION(m->out[0], (m->n), (m->out_gap), m->to, MDMP_TAG(m->tag));
    }
    if (!sends && m->in) {
        if (m->tag < 0)
            MDMP_RECV_SECTION(m->in[0], (m->n), (m->in_gap), m->from);
        else
            MDMP_RECV_SECTION(m->in[0], (m->n), (m->in_gap), m->from, MDMP_TAG(m->tag));
    }
}

static void check_message(const struct message *m) {
    for (int k = 0; m->in && k < m->n * m->in_gap; k++)
        require(m->in[k] == (k % m->in_gap ? -5 : element_of(m, k / m->in_gap)), "each message has come to its place");
    free(m->out), free(m->in);
}

static void any_exchange_is_right(void) {
    struct message messages[MOST];
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 40; turn++) {
        const int n = 1 + below(MOST);
        for (int k = 0; k < n; k++) draw(&messages[k]);
        MDMP_EXCHANGE();
        /* Sends among themselves and receives among themselves are in order; which come first differs. */
        for (int sends = 0; sends < 2; sends++)
            for (int k = 0; k < n; k++) say(&messages[k], (sends + turn + rank) % 2);
        MDMP_EXCHANGE_END();
        for (int k = 0; k < n; k++) check_message(&messages[k]);
    }
    MDMP_REGION_END();
    MPI_Finalize();
}

/* --- types --- */

struct Particle {
    double x[3];
    int id;
    char name[5];
};

static void elements_have_any_type(void) {
    struct Particle out[50], in[50];
    bool flag = false;
#ifdef __cplusplus
    std::complex<double> z(0, 0), mine;
    std::array<float, 3> row{}, my_row{};
    std::vector<long> longs(6000);
#else
    double complex z = 0, mine;
    long double longest = 0;
#endif
    begin(MPI_THREAD_SINGLE);
    const bool odd = rank % 2 != 0;
    memset(out, 0, sizeof out);
    for (int k = 0; k < 50; k++) {
        out[k].x[2] = rank + 0.5 * k, out[k].id = rank * 100 + k;
        strcpy(out[k].name, "abcd");
    }
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND(out[0], 50, next);
    MDMP_SEND(out[3].x[2], 1, next);
    MDMP_SEND(odd, 1, next);
    MDMP_RECV(in[0], 50, prev);
    double x = 0;
    MDMP_RECV(x, 1, prev);
    MDMP_RECV(flag, 1, prev);
#ifdef __cplusplus
    mine = {rank + 0.5, -1.0 * rank};
    my_row = {1.0f * (float)rank, 2, 3};
    for (size_t k = 0; k < longs.size() / 2; k++) longs[k] = rank + (long)k;
    MDMP_SEND(mine, 1, next);
    MDMP_SEND(my_row, 1, next);
    MDMP_SEND(longs.front(), longs.size() / 2, next);
    MDMP_RECV(z, 1, prev);
    MDMP_RECV(row, 1, prev);
    MDMP_RECV(longs[longs.size() / 2], longs.size() / 2, prev);
#else
    mine = rank + 0.5 - I * rank;
    long double my_longest = rank + 0.125L;
    MDMP_SEND(mine, 1, next);
    MDMP_SEND(my_longest, 1, next);
    MDMP_RECV(z, 1, prev);
    MDMP_RECV(longest, 1, prev);
#endif
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    for (int k = 0; k < 50; k++)
        require(in[k].x[2] == prev + 0.5 * k && in[k].id == prev * 100 + k && strcmp(in[k].name, "abcd") == 0,
                "structs come whole");
    require(x == prev + 1.5 && flag == (prev % 2 != 0), "members and bool come");
#ifdef __cplusplus
    require(z == std::complex<double>(prev + 0.5, -1.0 * prev) && row[0] == (float)prev && row[2] == 3, "objects come");
    for (size_t k = 0; k < longs.size() / 2; k++)
        require(longs[longs.size() / 2 + k] == prev + (long)k, "a vector's elements come");
#else
    require(creal(z) == prev + 0.5 && cimag(z) == -prev && longest == prev + 0.125L, "complex and long double come");
#endif
    MPI_Finalize();
}

static int evaluated;
static int once(int value) {
    evaluated++;
    return value;
}

static void arguments_are_evaluated_once(void) {
    int a[4] = {0, 0, 0, 0};
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND(rank, once(1), once(next), MDMP_TAG(once(3)));
    MDMP_RECV(a[once(2)], once(1), once(prev), MDMP_TAG(once(3)));
    MDMP_EXCHANGE_END();
    MDMP_REDUCE(+, a[once(1)], once(1), MDMP_ROOT(once(0)));
    MDMP_BCAST(a[once(3)], once(1), once(0));
    MDMP_REGION_END();
    require(evaluated == 13 && a[2] == prev, "each argument once");
    MPI_Finalize();
}

/* --- matching --- */

static void messages_match_in_their_order(void) {
    int in[20];
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    MDMP_EXCHANGE();
    for (int k = 0; k < 20; k++) {
        int out = rank * 100 + k;
        MDMP_SEND(out, 1, next);
    }
    for (int k = 0; k < 20; k++) MDMP_RECV(in[k], 1, prev);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    for (int k = 0; k < 20; k++) require(in[k] == prev * 100 + k, "the k-th meets the k-th");
    MPI_Finalize();
}

static void a_tag_matches_only_its_like(void) {
    int out[4] = {10, 11, 12, 13}, in[4] = {0, 0, 0, 0};
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND(out[0], 1, next, MDMP_TAG(5));
    MDMP_SEND(out[1], 1, next);
    MDMP_SEND(out[2], 1, next, MDMP_TAG(0));
    MDMP_SEND(out[3], 1, next);
    MDMP_RECV(in[2], 1, prev, MDMP_TAG(0));
    MDMP_RECV(in[1], 1, prev);
    MDMP_RECV(in[3], 1, prev);
    MDMP_RECV(in[0], 1, prev, MDMP_TAG(5));
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    require(memcmp(in, out, sizeof in) == 0, "tags pass others, and what has none stays in order");
    MPI_Finalize();
}

static void the_programs_own_messages_meet_no_directive(void) {
    enum { N = 60000 };
    unsigned char *out = (unsigned char *)memory(N), *in = (unsigned char *)memory(N),
                  *own = (unsigned char *)memory(N);
    MPI_Request requests[2];
    MPI_Status status;
    begin(MPI_THREAD_SINGLE);
    fill(out, N, 1);
    MDMP_REGION();
    MPI_Irecv(own, N, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MDMP_EXCHANGE();
    MDMP_RECV(in[0], N, prev);
    MDMP_SEND(out[0], N, next);
    MDMP_EXCHANGE_END();
    check(in, N, prev, 1);
    fill(out, N, 2);
    MPI_Isend(out, N, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    require(status.MPI_SOURCE == prev && status.MPI_TAG == 0, "it is the program's own message");
    check(own, N, prev, 2);
    MDMP_REGION_END();
    MPI_Finalize();
    free(out), free(in), free(own);
}

/* --- regions --- */

static void pass_on(int turn) {
    int out = rank + turn, in = -1;
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND(out, 1, next);
    MDMP_RECV(in, 1, prev);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    require(in == prev + turn, "the inner region's message comes");
}

static void regions_nest(void) {
    int in = -1;
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 5; turn++) {
        pass_on(turn);
        MDMP_EXCHANGE();
        MDMP_SEND(rank, 1, prev);
        MDMP_RECV(in, 1, next);
        MDMP_EXCHANGE_END();
        require(in == next, "the outer region goes on");
    }
    MDMP_REGION_END();
    MPI_Finalize();
}

static MPI_Comm halves(int key) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, key, &half);
    return half;
}

static void a_region_has_a_communicator(void) {
    begin(MPI_THREAD_SINGLE);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Comm half = halves(-rank); /* in reversed order */
        int its, all, in = -1, over = -1;
        MPI_Comm_rank(half, &its);
        MPI_Comm_size(half, &all);
        MDMP_REGION();
        MDMP_REGION(MDMP_COMM(half));
        MDMP_EXCHANGE();
        MDMP_SEND(rank, 1, (its + 1) % all);
        MDMP_RECV(in, 1, (its + all - 1) % all);
        MDMP_SEND(rank, 1, next, MDMP_COMM(MPI_COMM_WORLD));
        MDMP_RECV(over, 1, prev, MDMP_COMM(MPI_COMM_WORLD));
        MDMP_EXCHANGE_END();
        MDMP_REGION_END();
        MDMP_REGION_END();
        const int before = (its + all - 1) % all;
        require(in == ranks - 1 - (ranks - 1 - rank % 2) % 2 - 2 * before,
                "ranks are those of the region's communicator");
        require(over == prev, "an outer region's communicator may be named");
        MPI_Comm_free(&half); /* its handle comes again */
    }
    MPI_Finalize();
}

/* What a compiler of Fortran calls: communicators are numbers there, or absent. */
static void a_region_has_a_communicator_of_fortran(void) {
    begin(MPI_THREAD_SINGLE);
#ifndef MPI_ABI_VERSION
    static struct stretto_directive directive = {STRETTO_MDMP_VERSION, 0, 7, 1, "solver.f90", NULL, NULL, NULL};
    const int64_t count = 2, stride = -(int64_t)sizeof(int);
    int out[2] = {rank, rank + 100}, in[2] = {-1, -1}, over[2] = {-1, -1}, its, all;
    MPI_Comm half = halves(rank);
    const MPI_Fint named = MPI_Comm_c2f(half), world = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Comm_rank(half, &its);
    MPI_Comm_size(half, &all);
    stretto_region_begin_f(&directive, NULL);
    stretto_region_begin_f(&directive, &named);
    stretto_section_recv_f(&directive, &in[1], 1, &count, &stride, sizeof(int), (its + all - 1) % all, 4, NULL);
    stretto_section_send_f(&directive, &out[1], 1, &count, &stride, sizeof(int), (its + 1) % all, 4, &named);
    stretto_section_send_f(&directive, &out[1], 1, &count, &stride, sizeof(int), next, STRETTO_TAG_IMPLIED, &world);
    stretto_section_recv_f(&directive, &over[1], 1, &count, &stride, sizeof(int), prev, STRETTO_TAG_IMPLIED, &world);
    stretto_exchange(&directive, 4);
    stretto_region_end(&directive);
    stretto_region_end(&directive);
    const int from = 2 * ((its + all - 1) % all) + rank % 2;
    require(in[0] == from && in[1] == from + 100, "the innermost region's communicator, and one that is named");
    require(over[0] == prev && over[1] == prev + 100, "no communicator is the world's");
    MPI_Comm_free(&half);
#endif
    MPI_Finalize();
}

static void a_region_may_be_between_groups(void) {
    MPI_Comm between;
    int in = -1, its;
    begin(MPI_THREAD_SINGLE);
    MPI_Comm half = halves(rank);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
    MPI_Comm_rank(half, &its);
    MDMP_REGION(MDMP_COMM(between));
    MDMP_EXCHANGE();
    MDMP_SEND(rank, 1, its);
    MDMP_RECV(in, 1, its);
    MDMP_EXCHANGE_END();
    MDMP_REGION_END();
    require(in == rank + 1 - 2 * (rank % 2), "partners are ranks of the other group");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
}

static int copies;
static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag) {
    (void)comm, (void)key, (void)extra;
    *(void **)to = from;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static void a_communicators_attributes_are_not_copied(void) {
    int key;
    begin(MPI_THREAD_SINGLE);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copies);
    pass_on(1);
    require(copies == 0, "no function of the program's was called");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
}

/* --- MPI's begin and end --- */

static void a_region_initializes_mpi(void) {
    int is = 0, level = 0;
    MDMP_REGION();
    MPI_Initialized(&is);
    require(is, "MPI is initialized in a region");
    MPI_Query_thread(&level);
    require(level == MPI_THREAD_MULTIPLE, "any thread may have directives");
    know();
    pass_on(3);
    MDMP_REGION_END();
} /* and it ends with the program */

static void the_program_may_initialize_mpi_behind_a_region(void) {
    int over = 0;
    MDMP_REGION();
    MDMP_REGION_END();
    require(MPI_Init(NULL, NULL) == MPI_SUCCESS, "MPI_Init succeeds");
    know();
    pass_on(4);
    MPI_Finalize();
    MPI_Finalized(&over);
    require(over, "MPI has ended");
}

static void the_program_may_end_mpi_that_a_region_began(void) {
    MDMP_REGION();
    know();
    pass_on(5);
    MDMP_REGION_END();
    MPI_Finalize();
}

static void a_failing_program_does_not_wait_for_the_others(void) {
    int never;
    MDMP_REGION();
    know();
    if (rank > 0) MDMP_RECV(never, 1, 0);
    MDMP_REGION_END();
    exit(7);
}

/* --- threads --- */

struct thread {
    pthread_t id;
    MPI_Comm comm;
    int number;
};

static void exchange_with_tag(int number, int turns, size_t n) {
    unsigned char *out = (unsigned char *)memory(n), *in = (unsigned char *)memory(n);
    for (int turn = 0; turn < turns; turn++) {
        fill(out, n, number + turn);
        MDMP_EXCHANGE();
        MDMP_RECV(in[0], n, prev, MDMP_TAG(number));
        MDMP_SEND(out[0], n, next, MDMP_TAG(number));
        MDMP_EXCHANGE_END();
        check(in, n, prev, number + turn);
    }
    free(out), free(in);
}

static void *in_the_programs_region(void *data) {
    exchange_with_tag(((struct thread *)data)->number, 20, 500 + (size_t)((struct thread *)data)->number * 30000);
    return NULL;
}

static void *in_its_own_region(void *data) {
    const struct thread *its = (const struct thread *)data;
    for (int turn = 0; turn < 5; turn++) {
        MPI_Comm comm;
        MDMP_REGION(MDMP_COMM(its->comm));
        exchange_with_tag(3, 2, 20000);
        MPI_Comm_dup(its->comm, &comm);
        MDMP_REGION(MDMP_COMM(comm));
        exchange_with_tag(3, 2, 20000);
        MDMP_SEND(turn, 1, MDMP_NONE, MDMP_COMM(its->comm));
        MDMP_REGION_END();
        MPI_Comm_free(&comm); /* while the others begin and end regions */
        MDMP_REGION_END();
    }
    return NULL;
}

static void run_threads(void *(*what)(void *), int n, int communicators) {
    struct thread threads[4];
    for (int k = 0; k < n; k++) {
        threads[k].number = k;
        threads[k].comm = MPI_COMM_NULL;
        if (communicators) MPI_Comm_dup(MPI_COMM_WORLD, &threads[k].comm);
    }
    for (int k = 0; k < n; k++) pthread_create(&threads[k].id, NULL, what, &threads[k]);
    for (int k = 0; k < n; k++) pthread_join(threads[k].id, NULL);
    for (int k = 0; k < n && communicators; k++) MPI_Comm_free(&threads[k].comm);
}

static void threads_have_directives_in_one_region(void) {
    begin(MPI_THREAD_MULTIPLE);
    MDMP_REGION();
    run_threads(in_the_programs_region, 4, 0);
    MDMP_REGION_END();
    MPI_Finalize();
}

static void threads_have_regions_of_their_own(void) {
    begin(MPI_THREAD_MULTIPLE);
    run_threads(in_its_own_region, 3, 1);
    MPI_Finalize();
}

static void openmp_may_compute_in_a_region(void) {
    enum { N = 40000 };
    int *a = (int *)memory(N * sizeof *a), *b = (int *)memory(N * sizeof *b);
    begin(MPI_THREAD_FUNNELED);
    MDMP_REGION();
    for (int turn = 0; turn < 5; turn++) {
#pragma omp parallel for
        for (int k = 0; k < N; k++) a[k] = rank * 3 + k + turn;
        MDMP_EXCHANGE();
        MDMP_RECV(b[0], N, prev);
        MDMP_SEND(a[0], N, next);
        MDMP_EXCHANGE_END();
        int wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
        for (int k = 0; k < N; k++) wrong += b[k] != prev * 3 + k + turn;
        require(wrong == 0, "all of it has come before the loop");
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(a), free(b);
}

static void openmp_may_communicate_in_a_region(void) {
    begin(MPI_THREAD_MULTIPLE);
    MDMP_REGION();
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int k = 0; k < 3; k++) exchange_with_tag(k, 5, 10000);
    MDMP_REGION_END();
    MPI_Finalize();
}

/* --- reductions and broadcasts --- */

/* As MPI_Allreduce, element by element. */
#define REDUCED(op, mpi_op, Type, mpi_type)                                                      \
    do {                                                                                         \
        Type ours[5], theirs[5];                                                                 \
        for (int k = 0; k < 5; k++) ours[k] = theirs[k] = (Type)((rank * 5 + k * 3) % 7);        \
        MDMP_REDUCE(op, ours[0], 5);                                                             \
        MPI_Allreduce(MPI_IN_PLACE, theirs, 5, mpi_type, mpi_op, MPI_COMM_WORLD);                \
        for (int k = 0; k < 5; k++) require(ours[k] == theirs[k], #op " of " #Type " is MPI's"); \
    } while (0)
#define REDUCED_NUMBERS(Type, mpi_type)        \
    do {                                       \
        REDUCED(+, MPI_SUM, Type, mpi_type);   \
        REDUCED(*, MPI_PROD, Type, mpi_type);  \
        REDUCED(min, MPI_MIN, Type, mpi_type); \
        REDUCED(max, MPI_MAX, Type, mpi_type); \
    } while (0)
#define REDUCED_INTEGERS(Type, mpi_type)       \
    do {                                       \
        REDUCED_NUMBERS(Type, mpi_type);       \
        REDUCED(&&, MPI_LAND, Type, mpi_type); \
        REDUCED(||, MPI_LOR, Type, mpi_type);  \
        REDUCED(&, MPI_BAND, Type, mpi_type);  \
        REDUCED(|, MPI_BOR, Type, mpi_type);   \
        REDUCED(^, MPI_BXOR, Type, mpi_type);  \
    } while (0)

static void reductions_have_the_results_of_mpi(void) {
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    REDUCED_INTEGERS(signed char, MPI_SIGNED_CHAR);
    REDUCED_INTEGERS(short, MPI_SHORT);
    REDUCED_INTEGERS(int, MPI_INT);
    REDUCED_INTEGERS(long, MPI_LONG);
    REDUCED_INTEGERS(long long, MPI_LONG_LONG);
    REDUCED_INTEGERS(unsigned char, MPI_UNSIGNED_CHAR);
    REDUCED_INTEGERS(unsigned short, MPI_UNSIGNED_SHORT);
    REDUCED_INTEGERS(unsigned, MPI_UNSIGNED);
    REDUCED_INTEGERS(unsigned long, MPI_UNSIGNED_LONG);
    REDUCED_NUMBERS(float, MPI_FLOAT);
    REDUCED_NUMBERS(double, MPI_DOUBLE);
    REDUCED_NUMBERS(long double, MPI_LONG_DOUBLE);
#ifdef __cplusplus
    REDUCED(+, MPI_SUM, std::complex<float>, MPI_C_FLOAT_COMPLEX);
    REDUCED(*, MPI_PROD, std::complex<double>, MPI_C_DOUBLE_COMPLEX);
#else
    REDUCED(+, MPI_SUM, float complex, MPI_C_FLOAT_COMPLEX);
    REDUCED(*, MPI_PROD, double complex, MPI_C_DOUBLE_COMPLEX);
#endif
    char text = (char)('a' + rank);
    MDMP_REDUCE(max, text, 1);
    require(text == (char)('a' + ranks - 1), "char is a number");
    bool every = true, some = rank == 1, odd = true;
    MDMP_REDUCE(&&, every, 1);
    MDMP_REDUCE(||, some, 1);
    MDMP_REDUCE(^, odd, 1);
    require(every && some && odd == (ranks % 2 != 0), "bool is true or false");
    every = rank != 1, some = false;
    MDMP_REDUCE(&, every, 1);
    MDMP_REDUCE(|, some, 1);
    require(!every && !some, "bitwise operations of bool are its logical ones");
    MDMP_REGION_END();
    MPI_Finalize();
}

static void a_root_alone_has_a_reductions_result(void) {
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int root = 0; root < ranks; root++) {
        int a[3] = {rank, rank * 2, -rank}, gap[5] = {rank, 9, rank * 2, 9, -rank};
        const int most = ranks - 1;
        MDMP_REDUCE(max, a[0], 3, MDMP_ROOT(root));
        MDMP_REDUCE_SECTION(max, gap[0], (3), (2), MDMP_ROOT(root), MDMP_COMM(MPI_COMM_WORLD));
        require(a[0] == (rank == root ? most : rank) && a[1] == (rank == root ? most * 2 : rank * 2), "at the root");
        require(a[2] == (rank == root ? 0 : -rank), "others keep what they have");
        for (int k = 0; k < 5; k++) require(gap[k] == (k % 2 ? 9 : a[k / 2]), "also with gaps");
    }
    MDMP_REGION_END();
    MPI_Finalize();
}

/* Column `column` of each rank's array, and nothing beside it. */
static void reductions_and_broadcasts_have_sections(void) {
    enum { ROWS = 3000, COLUMNS = 7 };
    static double a[ROWS][COLUMNS];
    begin(MPI_THREAD_SINGLE);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) a[i][j] = rank * 1e4 + i * 10 + j;
    MDMP_REGION();
    MDMP_REDUCE_SECTION(+, a[0][2], (ROWS), (COLUMNS));
    MDMP_BCAST_SECTION(a[ROWS - 1][4], (ROWS), (-COLUMNS), ranks - 1);
    MDMP_REDUCE_SECTION(min, a[1][5], (2, 2), (10 * COLUMNS, 1));
    MDMP_REGION_END();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double own = i * 10 + j;
            const double its = j == 2                          ? ranks * own + 1e4 * ranks * (ranks - 1) / 2
                               : j == 4                        ? (ranks - 1) * 1e4 + own
                               : j >= 5 && (i == 1 || i == 11) ? own
                                                               : rank * 1e4 + own;
            require(a[i][j] == its, "the section has the result, and nothing else has changed");
        }
    MPI_Finalize();
}

static void all_have_what_the_root_broadcasts(void) {
    static const size_t sizes[] = {0, 1, 100, 16384, 70000, 3000001};
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (int root = 0; root < ranks; root++) {
            const size_t n = sizes[size];
            unsigned char *a = (unsigned char *)memory(n + 1);
            fill(a, n, 1);
            a[n] = 77;
            MDMP_BCAST(a[0], n, root);
            check(a, n, root, 1);
            require(a[n] == 77, "nothing is written behind it");
            free(a);
        }
    struct Particle one;
    memset(&one, 0, sizeof one);
    one.id = rank;
    MDMP_BCAST(one, 1, 1);
    require(one.id == 1, "also a struct");
    MDMP_REGION_END();
    MPI_Finalize();
}

static void a_long_reduction_is_right(void) {
    enum { N = 400000 };
    int *a = (int *)memory(N * sizeof *a);
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < N; k++) a[k] = (rank + 1) * (k % 1000) + turn;
        MDMP_REDUCE(+, a[0], N);
        for (int k = 0; k < N; k++)
            require(a[k] == ranks * (ranks + 1) / 2 * (k % 1000) + ranks * turn, "each element is the sum");
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(a);
}

static void collectives_stand_between_exchanges(void) {
    enum { N = 30000 };
    int *out = (int *)memory(N * sizeof *out), *in = (int *)memory(N * sizeof *in), sum = 0, all;
    begin(MPI_THREAD_SINGLE);
    MDMP_REGION();
    for (int turn = 0; turn < 5; turn++) {
        for (int k = 0; k < N; k++) out[k] = rank + turn + k;
        MDMP_EXCHANGE();
        MDMP_RECV(in[0], N, prev);
        MDMP_SEND(out[0], N, next);
        MDMP_EXCHANGE_END();
        MDMP_REDUCE(+, in[0], N);
        sum = in[turn];
        MDMP_BCAST(sum, 1, turn % ranks);
        all = rank + 1;
        MDMP_REDUCE(*, all, 1);
        int factorial = 1;
        for (int k = 2; k <= ranks; k++) factorial *= k;
        require(sum == ranks * (ranks - 1) / 2 + 2 * turn * ranks && all == factorial, "each has its own place");
    }
    MDMP_REGION_END();
    MPI_Finalize();
    free(out), free(in);
}

static void collectives_are_of_the_regions_communicator(void) {
    begin(MPI_THREAD_SINGLE);
    MPI_Comm half = halves(-rank); /* in reversed order */
    int its, all, sum = 1, world = 1, first = rank;
    MPI_Comm_rank(half, &its);
    MPI_Comm_size(half, &all);
    MDMP_REGION();
    MDMP_REGION(MDMP_COMM(half));
    MDMP_REDUCE(+, sum, 1);
    MDMP_REDUCE(+, world, 1, MDMP_COMM(MPI_COMM_WORLD));
    MDMP_BCAST(first, 1, 0);
    MDMP_REGION_END();
    MDMP_REGION_END();
    require(sum == all && world == ranks, "of the innermost region, or of one that is named");
    require(first == rank + 2 * its, "its ranks are those of the communicator");
    MPI_Comm_free(&half);
    MPI_Finalize();
}

static void the_programs_own_collectives_meet_no_directive(void) {
    int sum = 0, ours = 1;
    MPI_Request request;
    begin(MPI_THREAD_SINGLE);
    const int own = rank;
    MDMP_REGION();
    for (int turn = 0; turn < 3; turn++) {
        if (rank == turn) MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        ours = turn;
        MDMP_REDUCE(+, ours, 1);
        if (rank != turn) MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        require(ours == turn * ranks && sum == ranks * (ranks - 1) / 2, "each among its like");
    }
    MDMP_REGION_END();
    MPI_Finalize();
}

static void a_region_that_initializes_mpi_has_collectives(void) {
    int sum = 1;
    MDMP_REGION();
    MDMP_REDUCE(+, sum, 1);
    know();
    MDMP_REGION_END();
    require(sum == ranks, "MPI is there");
}

static void *reduces_in_its_own_region(void *data) {
    const struct thread *its = (const struct thread *)data;
    for (int turn = 0; turn < 20; turn++) {
        int sum = its->number + turn;
        MDMP_REGION(MDMP_COMM(its->comm));
        MDMP_REDUCE(+, sum, 1);
        require(sum == ranks * (its->number + turn), "threads' communicators keep their reductions apart");
        MDMP_BCAST(sum, 1, turn % ranks);
        MDMP_REGION_END();
    }
    return NULL;
}

static void threads_reduce_in_regions_of_their_own(void) {
    begin(MPI_THREAD_MULTIPLE);
    run_threads(reduces_in_its_own_region, 3, 1);
    MPI_Finalize();
}

#define PROMISE(name) \
    { #name, name }

static const struct {
    const char *name;
    void (*keep)(void);
} promises[] = {
    PROMISE(messages_of_any_size_come),
    PROMISE(either_order_is_right),
    PROMISE(alone_a_directive_waits),
    PROMISE(a_short_send_has_the_value_at_its_directive),
    PROMISE(several_sends_of_the_same_data_are_right),
    PROMISE(none_takes_part_in_nothing),
    PROMISE(columns_and_rows_are_sections),
    PROMISE(sections_have_several_dimensions),
    PROMISE(large_sections_with_gaps_come),
    PROMISE(no_elements_are_a_message),
    PROMISE(any_exchange_is_right),
    PROMISE(elements_have_any_type),
    PROMISE(arguments_are_evaluated_once),
    PROMISE(messages_match_in_their_order),
    PROMISE(a_tag_matches_only_its_like),
    PROMISE(the_programs_own_messages_meet_no_directive),
    PROMISE(regions_nest),
    PROMISE(a_region_has_a_communicator),
    PROMISE(a_region_has_a_communicator_of_fortran),
    PROMISE(a_region_may_be_between_groups),
    PROMISE(a_communicators_attributes_are_not_copied),
    PROMISE(a_region_initializes_mpi),
    PROMISE(the_program_may_initialize_mpi_behind_a_region),
    PROMISE(the_program_may_end_mpi_that_a_region_began),
    PROMISE(a_failing_program_does_not_wait_for_the_others),
    PROMISE(threads_have_directives_in_one_region),
    PROMISE(threads_have_regions_of_their_own),
    PROMISE(openmp_may_compute_in_a_region),
    PROMISE(openmp_may_communicate_in_a_region),
    PROMISE(reductions_have_the_results_of_mpi),
    PROMISE(a_root_alone_has_a_reductions_result),
    PROMISE(reductions_and_broadcasts_have_sections),
    PROMISE(all_have_what_the_root_broadcasts),
    PROMISE(a_long_reduction_is_right),
    PROMISE(collectives_stand_between_exchanges),
    PROMISE(collectives_are_of_the_regions_communicator),
    PROMISE(the_programs_own_collectives_meet_no_directive),
    PROMISE(a_region_that_initializes_mpi_has_collectives),
    PROMISE(threads_reduce_in_regions_of_their_own),
};

int main(int argc, char **argv) {
    for (size_t k = 0; k < sizeof promises / sizeof *promises; k++)
        if (argc > 1 && strcmp(promises[k].name, argv[1]) == 0) {
            promises[k].keep();
            if (rank == 0) puts("kept");
            return 0;
        }
    fprintf(stderr, "promises NAME\n");
    return 2;
}
