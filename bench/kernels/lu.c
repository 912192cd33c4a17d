// lu: blts of NAS LU, the lower triangular solve of one plane of points, as a wave over a 2-D grid of ranks (Bao et al. 2012, section
// III.A). Each rank has n rows of n points, five values in each. Its first row needs the last one of the rank in the north; the first
// point of each row, the last one of the rank in the west. Boundaries are packed and unpacked within the loop, as in the paper.
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
enum { SOUTHWARD = 1, EASTWARD };

typedef double Point[VALUES];
static Point *plane, *below; // the points that are computed, row by row: of this plane, of the one before
static Point *last;          // in each column, the point that was computed last
static Point *from_north, *from_west, *to_south, *to_east;
static long n;
static int north, west, south, east;

static int whole(long row) {
    return row == 0 || row == n - 1;
}

static long first_point(long row) {
    return row == 0 ? 0 : n + (row - 1) * POINTS;
}

// The first loop of blts: what the plane below adds.
static void rise(long from, long to) {
    for (long j = from; j < to; j++) {
        for (long p = first_point(j); p < first_point(j) + (whole(j) ? n : POINTS); p++)
            for (int m = 0; m < VALUES; m++)
                plane[p][m] = 1 - 1.2 * (0.05 * below[p][m] + 0.02 * below[p][(m + 1) % VALUES]);
        plane[first_point(j)][0] += element(VALUES * j);
    }
    worked(to - from);
}

// The second: what the points in the north and west add; then the diagonal block.
static void solve(double *v, const double *n, const double *w) {
    for (int m = 0; m < VALUES; m++) {
        int k = (m + 1) % VALUES;
        v[m] = 0.9 * (v[m] - 1.2 * (0.05 * n[m] + 0.02 * n[k]) - 1.2 * (0.05 * w[m] + 0.02 * w[k]));
    }
}

static void wave(long from, long to) {
    for (long j = from; j < to; j++) {
        Point *v = plane + first_point(j);
        for (int m = 1; m < VALUES; m++) v[0][m] += element(VALUES * j + m);
        const double *left = from_west[j];
        for (long i = 0; i < n; i += whole(j) ? 1 : (n + POINTS - 1) / POINTS, v++) {
            solve(*v, j == 0 ? from_north[i] : last[i], left);
            left = memcpy(last[i], *v, sizeof *v);
            if (j == n - 1) memcpy(to_south[i], *v, sizeof *v);
        }
        memcpy(to_east[j], left, sizeof *v);
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
    wave_all(0, n);
}

// Points of a boundary, the whole of it if nothing else is said. There is no rank beyond the grid's edge: MPI_PROC_NULL.
static int values(long from, long to) {
    return (int)(to - from) * VALUES;
}

static void plain(void) {
    MPI_Recv(from_north, values(0, n), MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(from_west, values(0, n), MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute();
    MPI_Send(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD);
    MPI_Send(to_east, values(0, n), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD);
}

static void delta(void) {
    MPI_Request leaving[2];
    rise_all();
    MPIX_Delta_send_begin(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD, &leaving[0]);
    MPIX_Delta_send_begin(to_east, values(0, n), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &leaving[1]);
    MPIX_Delta_recv(from_north, values(0, n), MPI_DOUBLE, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Delta_recv(from_west, values(0, n), MPI_DOUBLE, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPIX_Delta_wait_data(from_north, (size_t)n * sizeof(Point));
    for (long a = 0; a < n; a += PIECE) {
        long b = least(a + PIECE, n);
        MPIX_Delta_wait_data(from_west[a], (size_t)(b - a) * sizeof(Point));
        wave(a, b);
        MPIX_Delta_send_data(to_east[a], (size_t)(b - a) * sizeof(Point));
    }
    MPIX_Delta_send_end(
        &leaving[1]); // complete with the last row, as what goes south; by hand its last chunk leaves first as well
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
    k = 0;
    for (long a = 0; a < n; a += chunk, k++) {
        long b = least(a + chunk, n);
        MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
        wave_all(a, b);
        MPI_Isend(to_east[a], values(a, b), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &going[k]);
    }
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
    wave_all(0, n);
    MPI_Isend(to_south, values(0, n), MPI_DOUBLE, south, SOUTHWARD, MPI_COMM_WORLD, &left[0]);
    MPI_Isend(to_east, values(0, n), MPI_DOUBLE, east, EASTWARD, MPI_COMM_WORLD, &left[1]);
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

    size_t computed = (size_t)(first_point(n - 1) + n), boundary = (size_t)n * sizeof(Point);
    plane = calloc(computed, sizeof *plane);
    below = calloc(computed, sizeof *below);
    last = calloc((size_t)n, sizeof *last);
    from_north = own_pages(boundary), from_west = own_pages(boundary);
    to_south = own_pages(boundary), to_east = own_pages(boundary);
    coming = calloc((size_t)n, sizeof *coming);
    going = calloc((size_t)n + 1, sizeof *going);
    if (!plane || !below || !last || !from_north || !from_west || !to_south || !to_east || !coming || !going)
        give_up("no memory for %ld bytes", option.bytes);
    for (size_t p = 0; p < computed; p++)
        for (int m = 0; m < VALUES; m++) below[p][m] = (double)((p * 7 + (size_t)m * 3 + (size_t)rank) % 101);
}

static void reset(void) {
    size_t boundary = (size_t)n * sizeof(Point);
    memset(plane, 0xff, (size_t)(first_point(n - 1) + n) * sizeof *plane);
    memset(last, 0xff, boundary);
    memset(to_south, 0xff, boundary);
    memset(to_east, 0xff, boundary);
    memset(from_north, north == MPI_PROC_NULL ? 0 : 0xff, boundary);
    memset(from_west, west == MPI_PROC_NULL ? 0 : 0xff, boundary);
}

static struct Result result(void) {
    return (struct Result){plane, (size_t)(first_point(n - 1) + n) * sizeof *plane};
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
