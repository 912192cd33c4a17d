// lu: blts of NAS LU, the lower triangular solve of one plane of points, as a wave over a 2-D grid of ranks (Bao et al. 2012, section
// III.A). Each rank has n rows of n points, five values in each. Its first row needs the last one of the rank in the north; the first
// point of each row, the last one of the rank in the west. The western and the eastern boundary are unpacked and packed within the loop, as
// in the paper; a northern one is the row above the first, and the last row is a southern one.
//
//   ideal = Tc/5 + R V + (R-1) Tm, V = max(4/5 Tc, Tm), for R rows of ranks: eastwards they go on together; southwards a message
//           is made in a rank's last row and needed in the next one's first
//
// A fifth of the work depends on the plane below only (55 of some 280 operations): no message is needed for it. Of an inner row only four
// points are computed, of the first and the last row all: element() stands for the others.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum {
    VALUES = 5,
    POINTS = 4,
    PIECE = STRIP / VALUES
}; // of a point; of an inner row; in rows: 480 bytes of a boundary
enum { SOUTHWARD = 1, EASTWARD = 2 };

typedef double Point[VALUES];
static Point *plane, *below; // the points that are computed, row by row: of this plane, of the one before
static Point *above; // in each column, the point that was computed last, in the beginning the northern boundary's
static Point *from_north, *from_west, *to_south, *to_east;
static long n;
static int north, west, south, east;

static int whole(long n, long row) {
    return row == 0 || row == n - 1;
}

static long first_point(long n, long row) {
    return row == 0 ? 0 : n + (row - 1) * POINTS;
}

// The first loop of blts: what the plane below adds to a row.
__attribute__((always_inline)) static inline void rise_in_row(Point *restrict v, const Point *restrict under, long n,
                                                              long j) {
    for (long p = first_point(n, j); p < first_point(n, j) + (whole(n, j) ? n : POINTS); p++)
        for (int m = 0; m < VALUES; m++) v[p][m] = 1 - 1.2 * (0.05 * under[p][m] + 0.02 * under[p][(m + 1) % VALUES]);
    v[first_point(n, j)][0] += element(VALUES * j);
}

static void rise(long from, long to) {
    for (long j = from; j < to; j++) rise_in_row(plane, below, n, j);
    worked(to - from);
}

// The second: what the points in the north and west add; then the diagonal block.
__attribute__((always_inline)) static inline void solve(double *v, const double *n, const double *w) {
    for (int m = 0; m < VALUES; m++) {
        int k = (m + 1) % VALUES;
        v[m] = 0.9 * (v[m] - 1.2 * (0.05 * n[m] + 0.02 * n[k]) - 1.2 * (0.05 * w[m] + 0.02 * w[k]));
    }
}

// From the point in the west of a row to its last one.
__attribute__((always_inline)) static inline void solve_row(Point *restrict plane, Point *restrict above, long n,
                                                            long j, double *left) {
    Point *v = plane + first_point(n, j);
    const long step = whole(n, j) ? 1 : (n + POINTS - 1) / POINTS;
    for (int m = 1; m < VALUES; m++) v[0][m] += element(VALUES * j + m);
    for (long i = 0; i < n; i += step, v++) {
        solve(*v, above[i], left);
        for (int m = 0; m < VALUES; m++) left[m] = above[i][m] = v[0][m];
    }
}

static void begin_with_north(void) {
    memcpy(above, from_north, (size_t)n * sizeof *above);
}

static void end_with_south(void) {
    memcpy(to_south, above, (size_t)n * sizeof *above);
}

static void wave(long from, long to) {
    for (long j = from; j < to; j++) {
        double left[VALUES];
        memcpy(left, from_west[j], sizeof left);
        solve_row(plane, above, n, j, left);
        memcpy(to_east[j], left, sizeof left);
    }
    worked((VALUES - 1) * (to - from));
}

static void rise_all(void) {
    for (long a = 0; a < n; a += PIECE) rise(a, least(a + PIECE, n));
}

static void wave_all(long from, long to) {
    for (long a = from; a < to; a += PIECE) wave(a, least(a + PIECE, to));
}

static void compute(void) {
    rise_all();
    begin_with_north();
    wave_all(0, n);
    end_with_south();
}

// Points of a boundary, the whole of it if nothing else is said. There is no rank beyond the grid's edge: MPI_PROC_NULL.
static int values(long from, long to) {
    return (int)(to - from) * VALUES;
}

// A procedure with arguments, as it is in Fortran: no two of them overlap.
__attribute__((noinline)) static void blts(double (*restrict v)[VALUES], double (*restrict under)[VALUES],
                                           double (*restrict row_above)[VALUES], double (*restrict in_north)[VALUES],
                                           double (*restrict in_west)[VALUES], double (*restrict out_south)[VALUES],
                                           double (*restrict out_east)[VALUES], long n, const int to[4]) {
    const int north = to[0], west = to[1], south = to[2], east = to[3];
    MPI_Recv(in_north, (int)n * VALUES, MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in_west, (int)n * VALUES, MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long j = 0; j < n; j++) {
        rise_in_row(v, under, n, j);
        worked(1);
    }
    for (long i = 0; i < n; i++)
        for (int m = 0; m < VALUES; m++) row_above[i][m] = in_north[i][m];
    for (long j = 0; j < n; j++) {
        double left[VALUES];
        for (int m = 0; m < VALUES; m++) left[m] = in_west[j][m];
        solve_row(v, row_above, n, j, left);
        for (int m = 0; m < VALUES; m++) out_east[j][m] = left[m];
        worked(VALUES - 1);
    }
    for (long i = 0; i < n; i++)
        for (int m = 0; m < VALUES; m++) out_south[i][m] = row_above[i][m];
    MPI_Send(out_east, (int)n * VALUES, MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD); // as it is complete first
    MPI_Send(out_south, (int)n * VALUES, MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD);
}

static void plain(void) {
    blts(plane, below, above, from_north, from_west, to_south, to_east, n, (int[]){north, west, south, east});
}

static void delta(void) {
    MPI_Request leaving[2];
    rise_all();
    MPIX_Delta_send_begin(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD, &leaving[0]);
    MPIX_Delta_send_begin(to_east, values(0, n), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &leaving[1]);
    MPIX_Delta_recv(from_north, values(0, n), MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Delta_recv(from_west, values(0, n), MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Delta_wait_data(from_north, (size_t)n * sizeof(Point));
    begin_with_north();
    for (long a = 0; a < n; a += PIECE) {
        long b = least(a + PIECE, n);
        MPIX_Delta_wait_data(from_west[a], (size_t)(b - a) * sizeof(Point));
        wave(a, b);
        MPIX_Delta_send_data(to_east[a], (size_t)(b - a) * sizeof(Point));
    }
    MPIX_Delta_send_end(&leaving[1]); // complete first
    end_with_south();
    MPIX_Delta_send_end(&leaving[0]);
    MPIX_Delta_recv_end(from_north, MPI_STATUS_IGNORE);
    MPIX_Delta_recv_end(from_west, MPI_STATUS_IGNORE);
    MPIX_Delta_wait(&leaving[0], MPI_STATUS_IGNORE);
    MPIX_Delta_wait(&leaving[1], MPI_STATUS_IGNORE);
}

// By hand: rows go east in chunks; what goes south is made in one row and needed in one.
static MPI_Request *coming, *going;

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes < (long)sizeof(Point) ? 1 : chunk_bytes / (long)sizeof(Point);
    MPI_Request north_came;
    int k = 0;
    MPI_Irecv(from_north, values(0, n), MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, &north_came);
    for (long a = 0; a < n; a += chunk)
        MPI_Irecv(from_west[a], values(a, least(a + chunk, n)), MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD,
                  &coming[k++]);
    rise_all();
    MPI_Wait(&north_came, MPI_STATUS_IGNORE);
    begin_with_north();
    k = 0;
    for (long a = 0; a < n; a += chunk, k++) {
        long b = least(a + chunk, n);
        MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
        wave_all(a, b);
        MPI_Isend(to_east[a], values(a, b), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &going[k]);
    }
    end_with_south();
    MPI_Isend(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD, &going[k++]);
    MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
}

// What the plane below adds is computed while boundaries are on their way.
static void independent(void) {
    MPI_Request came[2], left[2];
    MPI_Irecv(from_north, values(0, n), MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, &came[0]);
    MPI_Irecv(from_west, values(0, n), MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD, &came[1]);
    rise_all();
    MPI_Waitall(2, came, MPI_STATUSES_IGNORE);
    begin_with_north();
    wave_all(0, n);
    end_with_south();
    MPI_Isend(to_east, values(0, n), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &left[0]);
    MPI_Isend(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD, &left[1]);
    MPI_Waitall(2, left, MPI_STATUSES_IGNORE);
}

static void message(void) { // eastwards in the first row: a link with nothing else on it
    if (rank == 0) MPI_Send(to_east, values(0, n), MPI_DOUBLE, 1, EASTWARD, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(from_west, values(0, n), MPI_DOUBLE, 0, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (option.bytes % (long)sizeof(Point) || option.bytes < 25 * (long)sizeof(Point))
        give_up("--bytes %ld: a boundary has at least 25 points of 40 bytes", option.bytes);
    n = option.bytes / (long)sizeof(Point);
    int rows = 1; // of ranks: as near to a square as their number allows
    for (int r = 1; r * r <= ranks; r++)
        if (ranks % r == 0) rows = r;
    int columns = ranks / rows, column = rank % columns;
    north = rank >= columns ? rank - columns : MPI_PROC_NULL;
    south = rank + columns < ranks ? rank + columns : MPI_PROC_NULL;
    west = column > 0 ? rank - 1 : MPI_PROC_NULL;
    east = column + 1 < columns ? rank + 1 : MPI_PROC_NULL;

    size_t computed = (size_t)(first_point(n, n - 1) + n), boundary = (size_t)n * sizeof(Point);
    plane = calloc(computed, sizeof *plane);
    below = calloc(computed, sizeof *below);
    above = calloc((size_t)n, sizeof *above);
    from_north = own_pages(boundary), from_west = own_pages(boundary);
    to_south = own_pages(boundary), to_east = own_pages(boundary);
    coming = calloc((size_t)n, sizeof *coming);
    going = calloc((size_t)n + 1, sizeof *going);
    if (!plane || !below || !above || !from_north || !from_west || !to_south || !to_east || !coming || !going)
        give_up("no memory for %ld bytes", option.bytes);
    for (size_t p = 0; p < computed; p++)
        for (int m = 0; m < VALUES; m++) below[p][m] = (double)((p * 7 + (size_t)m * 3 + (size_t)rank) % 101);
}

static void reset(void) {
    size_t boundary = (size_t)n * sizeof(Point);
    memset(plane, 0xff, (size_t)(first_point(n, n - 1) + n) * sizeof *plane);
    memset(above, 0xff, boundary);
    memset(to_south, 0xff, boundary);
    memset(to_east, 0xff, boundary);
    memset(from_north, north == MPI_PROC_NULL ? 0 : 0xff, boundary);
    memset(from_west, west == MPI_PROC_NULL ? 0 : 0xff, boundary);
}

static struct Result result(void) {
    return (struct Result){plane, (size_t)(first_point(n, n - 1) + n) * sizeof *plane};
}

const struct Kernel *kernel(void) {
    static const struct Kernel lu = {.name = "lu",
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
    return &lu;
}
