// cg: conjugate gradients on Poisson's equation in three dimensions with a stencil of 7 points, each rank with a slab of the grid: the halo by
// MPI_Alltoallv, dot products by MPI_Allreduce, as LibNBC's authors have it (SC07, 5.3).
//
//   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S iterations; Tm is that of both planes of a halo, which leave by one link
//
// It is the pipelined form (Ghysels, Vanroose, Parallel Computing 2014), where an iteration's sums are needed in the next one only. They are
// added up under the product with the matrix. The halo is on its way from when the first points of the slab's outer planes have been
// updated until the product needs it for the last of them: so all of Tm has computation beside it. As a whole (independent) it has that of
// the inner planes, 3/4 Tc.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { STEPS = 8, PLANES = 8, ROW = STRIP, AXES = 3 }; // a slab has so many planes, these rows of so many points
enum { EVERY = 16 };                                   // one point in so many has work beyond its few operations
enum { LOOK = 8192, PIECES = 16 };                     // points between two looks; of a plane, with Stretto
enum { GAMMA, DELTA, SUMS };                           // r r, r A r
enum { VECTORS = 7 };

static double *x, *r, *w, *p, *s, *z, *q; // one after the other: solution, residual, A r, direction, A p, A A p, A A r
static double *halo;                      // of w: the plane below the slab, the one above; zeros where the grid ends
static double *wanted, *first;            // the equation's solution; all vectors before the first iteration
static long n, slab;                      // points of a plane, of all

static double alpha, beta, gamma_before, unit, first_unit;
static int64_t mine[SUMS], sum[SUMS], first_sum[SUMS]; // in units

static long piece; // points of each of the outer planes that travel together
static int *of_piece, *of_last, *leaves_at,
    *comes_at; // for each rank: points of it, and of what is left over; where they are
static MPI_Request *going;
static int begun;

// A row's share of an iteration: half is its update, half the product.
static void work(long row) {
    for (long j = row % n; j < row % n + ROW; j += EVERY) wrong += element(j / EVERY) < 0;
    worked_part(ROW, 2 * PLANES);
}

// Points a to b of the slab. A sum of doubles depends on its order, and of calls that block and calls that do not a library chooses different
// ones. So each row's is rounded to 2^-44 of the sum before: integers have one sum, whoever adds them up.
static void update(long a, long b) {
    for (long row = a; row < b; row += ROW) {
        double gamma = 0, delta = 0;
        for (long j = row; j < row + ROW; j++) {
            z[j] = q[j] + beta * z[j];
            s[j] = w[j] + beta * s[j];
            p[j] = r[j] + beta * p[j];
            x[j] += alpha * p[j];
            r[j] -= alpha * s[j];
            w[j] -= alpha * z[j];
            gamma += r[j] * r[j];
            delta += r[j] * w[j];
        }
        mine[GAMMA] += llrint(gamma / unit);
        mine[DELTA] += llrint(delta / unit);
        work(row);
    }
}

// q = A w.
static void multiply(long a, long b) {
    static const double nothing[ROW];
    for (long row = a; row < b; row += ROW) {
        const long in_plane = row % n;
        const double *here = w + row;
        const double *below = row >= n ? here - n : halo + in_plane;
        const double *above = row + n < slab ? here + n : halo + n + in_plane;
        const double *north = in_plane > 0 ? here - ROW : nothing;
        const double *south = in_plane + ROW < n ? here + ROW : nothing;
        for (int j = 0; j < ROW; j++) {
            const double west = j > 0 ? here[j - 1] : 0, east = j + 1 < ROW ? here[j + 1] : 0;
            q[row + j] = 6 * here[j] - west - east - north[j] - south[j] - below[j] - above[j];
        }
        work(row);
    }
}

static void compute(void) {
    update(0, slab);
    multiply(0, slab);
}

static void begin_iteration(void) {
    const double gamma = (double)sum[GAMMA] * unit, delta = (double)sum[DELTA] * unit;
    beta = gamma / gamma_before;
    alpha = gamma / (delta - beta * gamma / alpha);
    gamma_before = gamma;
    unit = ldexp(gamma, -44);
    mine[GAMMA] = mine[DELTA] = 0;
}

static void cut_planes(long points) {
    piece = points;
    for (int peer = rank - 1; peer <= rank + 1; peer += 2) {
        if (peer < 0 || peer == ranks) continue;
        of_piece[peer] = (int)piece;
        of_last[peer] = (int)(n % piece);
    }
}

static const int *points_of(long a) {
    return a + piece <= n ? of_piece : of_last;
}

static void exchange(void) {
    cut_planes(n);
    MPI_Alltoallv(w, of_piece, leaves_at, MPI_DOUBLE, halo, of_piece, comes_at, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void plain(void) {
    for (int step = 0; step < STEPS; step++) {
        begin_iteration();
        update(0, slab);
        exchange();
        MPI_Allreduce(mine, sum, SUMS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        multiply(0, slab);
    }
}

// How the piece of both planes that begins at a travels, and what moves it on meanwhile.
struct Way {
    void (*leave)(long a);
    void (*come)(long a);
    void (*look)(void);
};

static void inside(void (*some)(long, long), void (*look)(void)) {
    for (long a = n; a < slab - n; a += LOOK) {
        some(a, least(a + LOOK, slab - n));
        look();
    }
}

static void pipelined(long points, struct Way way) {
    const long last = slab - n;
    cut_planes((points + ROW - 1) / ROW * ROW);
    for (int step = 0; step < STEPS; step++) {
        begin_iteration();
        begun = 0;
        for (long a = 0; a < n; a += piece) {
            const long b = least(a + piece, n);
            update(a, b);
            update(last + a, last + b);
            way.leave(a);
        }
        inside(update, way.look);
        MPI_Iallreduce(mine, sum, SUMS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &going[begun++]);
        inside(multiply, way.look);
        for (long a = 0; a < n; a += piece) {
            const long b = least(a + piece, n);
            way.come(a);
            multiply(a, b);
            multiply(last + a, last + b);
        }
        MPI_Waitall(begun, going, MPI_STATUSES_IGNORE);
    }
}

// By hand: the library's own operations, which it moves on when it is called.
static void leave(long a) {
    MPI_Ialltoallv(w + a, points_of(a), leaves_at, MPI_DOUBLE, halo + a, points_of(a), comes_at, MPI_DOUBLE,
                   MPI_COMM_WORLD, &going[begun++]);
}
static void come(long a) {
    MPI_Wait(&going[a / piece], MPI_STATUS_IGNORE);
}
static void look(void) {
    int done;
    MPI_Testall(begun, going, &done, MPI_STATUSES_IGNORE);
}
static const struct Way by_hand = {leave, come, look};

static void hand(long chunk_bytes) {
    pipelined(chunk_bytes / (long)sizeof(double), by_hand);
}

// Planes as a whole, as in the paper.
static void independent(void) {
    pipelined(n, by_hand);
}

// With Stretto: what has come is used though the operation's sends may not have ended, as MPICH's only do with the last. One operation of both
// planes, fed row by row, is slower: nobody knows how short the blocks of all ranks are, so its lanes are 64 KiB.
static void delta_leave(long a) {
    MPIX_Delta_alltoallv_begin(w + a, points_of(a), leaves_at, MPI_DOUBLE, halo + a, points_of(a), comes_at, MPI_DOUBLE,
                               MPI_COMM_WORLD, &going[begun]);
    MPIX_Delta_collective_end(&going[begun++]);
}
static void delta_come(long a) {
    const size_t bytes = (size_t)(least(a + piece, n) - a) * sizeof(double);
    MPIX_Delta_wait_data(halo + a, bytes);
    MPIX_Delta_wait_data(halo + n + a, bytes);
}
static void no_look(void) {}

static void delta(void) {
    pipelined((n + PIECES - 1) / PIECES, (struct Way){delta_leave, delta_come, no_look});
}

// What the busiest link carries one way in an iteration.
static void message(void) {
    const int planes = ranks > 2 ? 2 : 1;
    for (int k = 0; k < planes; k++) {
        if (rank == 1) MPI_Send(w, (int)n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(q, (int)n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int hops(void) {
    return 1;
}

// to = A from; leaves from in w.
static void apply(const double *from, double *to) {
    memmove(w, from, (size_t)slab * sizeof *w);
    exchange();
    multiply(0, slab);
    memmove(to, q, (size_t)slab * sizeof *q);
}

// The right side is A wanted; iterations begin at x = 0, with r, w and q as a product has left them.
static void begin_equation(void) {
    double gamma = 0, delta = 0;
    for (long j = 0; j < slab; j++) wanted[j] = (double)((j * 37 + rank) % 1013) / 1013;
    apply(wanted, r);
    apply(r, w);
    for (long j = 0; j < slab; j++) {
        gamma += r[j] * r[j];
        delta += r[j] * w[j];
    }
    first_unit = ldexp(12 * 12 * (double)slab * ranks, -44); // A makes nothing more than 12 times larger
    mine[GAMMA] = llrint(gamma / first_unit);
    mine[DELTA] = llrint(delta / first_unit);
    MPI_Allreduce(mine, first_sum, SUMS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    apply(w, q);
    memcpy(first, x, VECTORS * (size_t)slab * sizeof *x);
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (option.elements % ROW)
        give_up("--bytes %ld: a plane has rows of %d points, so a multiple of %d bytes", option.bytes, ROW, ROW * 8);
    n = option.elements;
    slab = PLANES * n;
    const size_t bytes = (size_t)slab * sizeof(double), places = (size_t)ranks;
    x = own_pages(VECTORS * bytes), first = own_pages(VECTORS * bytes), wanted = own_pages(bytes);
    halo = own_pages(2 * (size_t)n * sizeof *halo);
    of_piece = calloc(places, sizeof(int)), of_last = calloc(places, sizeof(int));
    leaves_at = calloc(places, sizeof(int)), comes_at = calloc(places, sizeof(int));
    if (!x || !first || !wanted || !halo || !of_piece || !of_last || !leaves_at || !comes_at)
        give_up("no memory for %ld bytes", option.bytes);
    double **const behind_x[] = {&r, &w, &p, &s, &z, &q};
    for (int k = 0; k + 1 < VECTORS; k++) *behind_x[k] = x + (k + 1) * slab;
    going = no_requests(n / ROW + 1);
    if (rank + 1 < ranks) leaves_at[rank + 1] = (int)(slab - n), comes_at[rank + 1] = (int)n;
    begin_equation();
}

static void reset(void) {
    memcpy(x, first, VECTORS * (size_t)slab * sizeof *x);
    if (rank > 0) memset(halo, 0xff, (size_t)n * sizeof *halo);
    if (rank + 1 < ranks) memset(halo + n, 0xff, (size_t)n * sizeof *halo);
    memcpy(sum, first_sum, sizeof sum);
    unit = first_unit;
    gamma_before = INFINITY, alpha = 1; // no direction before the first one
}

// In the norm of A, S iterations leave at most 2 ((sqrt(k) - 1) / (sqrt(k) + 1))^S of the error (Chebyshev), where k is the ratio of A's largest
// eigenvalue to its smallest.
static void check_convergence(void) {
    const double points[AXES] = {ROW, (double)n / ROW, (double)PLANES * ranks};
    double smallest = 0, largest = 0, error[2] = {0}, of_all[2];
    for (int axis = 0; axis < AXES; axis++) {
        smallest += 2 - 2 * cos(M_PI / (points[axis] + 1));
        largest += 2 + 2 * cos(M_PI / (points[axis] + 1));
    }
    for (long j = 0; j < slab; j++) {
        error[0] += wanted[j] * first[r - x + j];
        error[1] += (wanted[j] - x[j]) * r[j];
    }
    MPI_Allreduce(error, of_all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double root = sqrt(largest / smallest), bound = 2 * pow((root - 1) / (root + 1), STEPS);
    wrong += !(fabs(of_all[1]) <= bound * bound * of_all[0]);
}

static struct Result result(void) {
    if (!isinf(gamma_before)) check_convergence(); // there were iterations
    return (struct Result){x, VECTORS * (size_t)slab * sizeof *x};
}

const struct Kernel *kernel(void) {
    static const struct Kernel cg = {.name = "cg",
                                     .set_up = set_up,
                                     .reset = reset,
                                     .message = message,
                                     .message_hops = hops,
                                     .compute = compute,
                                     .plain = plain,
                                     .delta = delta,
                                     .hand = hand,
                                     .independent = independent,
                                     .result = result};
    return &cg;
}
