// mg: psinv of NAS MG, the smoother u + C r with a stencil of 27 points, and comm3, which then exchanges the faces of u with up to six
// neighbours, axis by axis on a periodic grid of ranks (Bao et al. 2012, section III.A). The faces across x have a point in every row of the
// loop, and leave while it runs. Those across y have the edges that came along x: they leave when these have come, as in the paper, where
// two messages of six can.
//
//   plain = Tc + 2 Tm + E     ideal = max(Tc, 2 Tm) + E     E = 2.5 Tm for the two faces across y, where these are other ranks'
//
// A rank has a beam, n points long along z and 8 wide: faces as large as a cube's, with fewer points between; element() stands for them. The
// faces across z are the beam's ends, and take no time.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { AXES = 3, WIDTH = 8, ALL = WIDTH + 2 }; // ALL: with the points of the neighbours
enum { DOWN = 0, UP = 1, SIDES };              // also the tags: the way that a message goes

typedef double Plane[ALL][ALL];
static Plane *u, *r, *u_before; // [z][y][x], from 0 to one more than there are
static double *out[AXES][SIDES], *in[AXES][SIDES];
static long extent[AXES] = {WIDTH, WIDTH}, n; // points of this rank; rows of them
static int across[AXES], neighbour[AXES][SIDES];

// One row, or a part of it.
__attribute__((always_inline)) static inline void smooth_points(Plane *restrict u, const Plane *restrict r, long row,
                                                                int from, int to) {
    static const double c[] = {-3.0 / 17, 1.0 / 33, -1.0 / 61}; // as in NAS class C
    const long y = 1 + row % WIDTH, z = 1 + row / WIDTH;
    double near[ALL], far[ALL];
    for (int x = from - 1; x <= to + 1; x++) {
        near[x] = r[z][y - 1][x] + r[z][y + 1][x] + r[z - 1][y][x] + r[z + 1][y][x];
        far[x] = r[z - 1][y - 1][x] + r[z - 1][y + 1][x] + r[z + 1][y - 1][x] + r[z + 1][y + 1][x];
    }
    for (int x = from; x <= to; x++)
        u[z][y][x] += c[0] * r[z][y][x] + c[1] * (r[z][y][x - 1] + r[z][y][x + 1] + near[x]) +
                      c[2] * (far[x] + near[x - 1] + near[x + 1]);
}

__attribute__((always_inline)) static inline void smooth_row(Plane *restrict u, const Plane *restrict r, long row) {
    smooth_points(u, r, row, 1, WIDTH);
    u[1 + row / WIDTH][1 + row % WIDTH][WIDTH / 2] += element(row);
}

// The points that no neighbour along x needs, and the work of all.
static void smooth_inside(long from, long to) {
    for (long j = from; j < to; j++) {
        smooth_points(u, r, j, 2, WIDTH - 1);
        u[1 + j / WIDTH][1 + j % WIDTH][WIDTH / 2] += element(j);
    }
    worked(to - from);
}

static void smooth(long from, long to) {
    for (long j = from; j < to; j++) smooth_row(u, r, j);
    worked(to - from);
}

static void compute(void) {
    for (long a = 0; a < n; a += STRIP) smooth(a, least(a + STRIP, n));
}

static long points(int axis) {
    const long of[] = {n, extent[2] * ALL, ALL * ALL};
    return of[axis];
}

// A face's points in the order of the messages: across y with what came along x, across z with what came along both.
static double *point(int axis, long plane, long k) {
    if (axis == 0) return &u[1 + k / WIDTH][1 + k % WIDTH][plane];
    if (axis == 1) return &u[1 + k / ALL][plane][k % ALL];
    return &u[plane][k / ALL][k % ALL];
}

static void pack(int axis, long from, long to) {
    for (long k = from; k < to; k++) {
        out[axis][DOWN][k] = *point(axis, 1, k);
        out[axis][UP][k] = *point(axis, extent[axis], k);
    }
}

static void unpack(int axis) {
    for (long k = 0; k < points(axis); k++) {
        *point(axis, 0, k) = in[axis][UP][k];
        *point(axis, extent[axis] + 1, k) = in[axis][DOWN][k];
    }
}

// A message that goes up comes from below.
static int source(int axis, int way) {
    return neighbour[axis][1 - way];
}

// Non-blocking, all messages of one axis in chunks of so many points; how many there are.
static int receive(int axis, long chunk, MPI_Request *request) {
    int k = 0;
    for (long a = 0; a < points(axis); a += chunk)
        for (int way = 0; way < SIDES; way++)
            MPI_Irecv(in[axis][way] + a, (int)(least(a + chunk, points(axis)) - a), MPI_DOUBLE, source(axis, way), way,
                      MPI_COMM_WORLD, &request[k++]);
    return k;
}

static int send(int axis, long from, long to, MPI_Request *request) {
    for (int way = 0; way < SIDES; way++)
        MPI_Isend(out[axis][way] + from, (int)(to - from), MPI_DOUBLE, neighbour[axis][way], way, MPI_COMM_WORLD,
                  &request[way]);
    return SIDES;
}

// A rank that is its own neighbour sends nothing.
static int is_alone(int axis) {
    if (across[axis] > 1) return 0;
    for (long k = 0; k < points(axis); k++) {
        *point(axis, 0, k) = *point(axis, extent[axis], k);
        *point(axis, extent[axis] + 1, k) = *point(axis, 1, k);
    }
    return 1;
}

// comm3 for one axis, as in NAS MG.
static void exchange(int axis) {
    if (is_alone(axis)) return;
    MPI_Request coming[SIDES];
    receive(axis, points(axis), coming);
    pack(axis, 0, points(axis));
    for (int way = 0; way < SIDES; way++)
        MPI_Send(out[axis][way], (int)points(axis), MPI_DOUBLE, neighbour[axis][way], way, MPI_COMM_WORLD);
    MPI_Waitall(SIDES, coming, MPI_STATUSES_IGNORE);
    unpack(axis);
}

// A procedure with arguments, as it is in Fortran: no two of them overlap. Each row's ends are packed when they have been computed.
__attribute__((noinline)) static void psinv(Plane *restrict u, const Plane *restrict r, double *restrict down,
                                            double *restrict up, long n, int neighbours[SIDES]) {
    const int below = neighbours[DOWN], behind = neighbours[UP];
    for (long j = 0; j < n; j++) {
        smooth_row(u, r, j);
        down[j] = u[1 + j / WIDTH][1 + j % WIDTH][1];
        up[j] = u[1 + j / WIDTH][1 + j % WIDTH][WIDTH];
        worked(1);
    }
    MPI_Send(down, (int)n, MPI_DOUBLE, below, DOWN, MPI_COMM_WORLD);
    MPI_Send(up, (int)n, MPI_DOUBLE, behind, UP, MPI_COMM_WORLD);
}

// Along x there is always another rank.
static void plain(void) {
    MPI_Request coming[SIDES];
    receive(0, n, coming);
    psinv(u, r, out[0][DOWN], out[0][UP], n, neighbour[0]);
    MPI_Waitall(SIDES, coming, MPI_STATUSES_IGNORE);
    unpack(0);
    for (int axis = 1; axis < AXES; axis++) exchange(axis);
}

static void delta(void) {
    MPI_Request coming[SIDES], going[SIDES];
    receive(0, n, coming);
    for (int way = 0; way < SIDES; way++)
        MPIX_Delta_send_begin(out[0][way], (int)n, MPI_DOUBLE, neighbour[0][way], way, MPI_COMM_WORLD, &going[way]);
    for (long a = 0; a < n; a += STRIP) {
        long b = least(a + STRIP, n);
        smooth(a, b);
        pack(0, a, b);
        for (int way = 0; way < SIDES; way++) MPIX_Delta_send_data(out[0][way] + a, (size_t)(b - a) * sizeof(double));
    }
    for (int way = 0; way < SIDES; way++) MPIX_Delta_send_end(&going[way]);
    MPI_Waitall(SIDES, coming, MPI_STATUSES_IGNORE);
    unpack(0);
    for (int way = 0; way < SIDES; way++) MPIX_Delta_wait(&going[way], MPI_STATUS_IGNORE);
    for (int axis = 1; axis < AXES; axis++) exchange(axis);
}

static MPI_Request *coming, *going;

// The other axes, without a blocking send.
static void exchange_others(long chunk) {
    for (int axis = 1; axis < AXES; axis++) {
        if (is_alone(axis)) continue;
        int chunks = receive(axis, chunk, coming), k = 0;
        pack(axis, 0, points(axis));
        for (long a = 0; a < points(axis); a += chunk) k += send(axis, a, least(a + chunk, points(axis)), going + k);
        MPI_Waitall(chunks, coming, MPI_STATUSES_IGNORE);
        unpack(axis);
        MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
    }
}

static void hand(long chunk_bytes) {
    long chunk = chunk_bytes / (long)sizeof(double);
    int chunks = receive(0, chunk, coming), k = 0;
    for (long a = 0; a < n; a += chunk) {
        long b = least(a + chunk, n);
        for (long s = a; s < b; s += STRIP) smooth(s, least(s + STRIP, b));
        pack(0, a, b);
        k += send(0, a, b, going + k);
    }
    MPI_Waitall(chunks, coming, MPI_STATUSES_IGNORE);
    unpack(0);
    MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
    exchange_others(chunk);
}

// The faces across x first, and all between while they are on their way: the loop is split, the messages are whole.
static void independent(void) {
    receive(0, n, coming);
    for (long j = 0; j < n; j++) {
        smooth_points(u, r, j, 1, 1);
        smooth_points(u, r, j, WIDTH, WIDTH);
    }
    pack(0, 0, n);
    send(0, 0, n, going);
    for (long a = 0; a < n; a += STRIP) smooth_inside(a, least(a + STRIP, n));
    MPI_Waitall(SIDES, coming, MPI_STATUSES_IGNORE);
    unpack(0);
    MPI_Waitall(SIDES, going, MPI_STATUSES_IGNORE);
    exchange_others(LONG_MAX / 2);
}

static void message(void) { // one face across x
    if (rank == 0) MPI_Send(out[0][UP], (int)n, MPI_DOUBLE, 1, UP, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in[0][UP], (int)n, MPI_DOUBLE, 0, UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return 1;
}

static void find_neighbours(void) {
    MPI_Dims_create(ranks, AXES, across); // the most ranks along x
    int stride = 1;
    for (int axis = 0; axis < AXES; stride *= across[axis++]) {
        int here = rank / stride % across[axis], base = rank - here * stride;
        neighbour[axis][DOWN] = base + (here + across[axis] - 1) % across[axis] * stride;
        neighbour[axis][UP] = base + (here + 1) % across[axis] * stride;
    }
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (option.elements % WIDTH)
        give_up("--bytes %ld: a face has rows of %d points, so a multiple of %d bytes", option.bytes, WIDTH, WIDTH * 8);
    n = option.elements;
    extent[2] = n / WIDTH;
    find_neighbours();

    const size_t planes = (size_t)extent[2] + 2;
    u = malloc(planes * sizeof *u), r = malloc(planes * sizeof *r), u_before = malloc(planes * sizeof *u);
    const size_t chunks = SIDES * (size_t)points(1); // across y there are the most points
    coming = calloc(chunks, sizeof *coming), going = calloc(chunks, sizeof *going);
    int enough = u && r && u_before && coming && going;
    for (int axis = 0; axis < AXES; axis++)
        for (int way = 0; way < SIDES; way++) {
            out[axis][way] = own_pages((size_t)points(axis) * sizeof(double));
            in[axis][way] = own_pages((size_t)points(axis) * sizeof(double));
            enough = enough && out[axis][way] && in[axis][way];
        }
    if (!enough) give_up("no memory for %ld bytes", option.bytes);
    double *right = r[0][0], *before = u_before[0][0];
    for (size_t i = 0; i < planes * ALL * ALL; i++) {
        right[i] = (double)((i * 37 + (size_t)rank) % 1013) / 1013;
        before[i] = (double)((i * 53 + (size_t)rank) % 997) / 997;
    }
}

static void reset(void) {
    memcpy(u, u_before, ((size_t)extent[2] + 2) * sizeof *u);
    for (int axis = 0; axis < AXES; axis++)
        for (int way = 0; way < SIDES; way++) {
            memset(out[axis][way], 0xff, (size_t)points(axis) * sizeof(double));
            memset(in[axis][way], 0xff, (size_t)points(axis) * sizeof(double));
        }
}

static struct Result result(void) { // all points, and those of the neighbours
    return (struct Result){u, ((size_t)extent[2] + 2) * sizeof *u};
}

const struct Kernel *kernel(void) {
    static const struct Kernel mg = {.name = "mg",
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
    return &mg;
}
