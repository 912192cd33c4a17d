// hycom: xcsum of HYCOM, the sum of a 2-D array whose tiles lie on a 2-D grid of ranks (Bao et al. 2012, section III.A). Each rank sums
// the sea points of its tile's rows in strips of 13. The first rank of each row of the grid, its head, completes the sum of each row: its own
// strips, then those of the next rank, and so on. Rank 0 adds the sums of all rows. Always in this order, so all sums are the same bit by bit.
//
//   plain = Tc + (C-1) Tm     ideal = max(Tc, (C-1) Tm)     for C ranks in a row of the grid
//
// Both leave out the additions, and the sums of rows, which are 64 times fewer than the strips. All ranks sum at once, and what is sent was
// just summed: only who sends it in parts has something to overlap it with.
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

enum { WIDTH = 13, STRIPS = STRIP }; // points of a strip: HYCOM's halo, twice 6, and one; strips of a row
enum { TO_HEAD = 1, TO_FIRST };

static float *field;
static char *sea;
static double **strips, **sums; // of the rank in each column of the grid; of the head of each row of the grid
static double total;
static long n, rows; // strips and rows of a tile
static int grid_rows, grid_columns, grid_row, column;

static int head_of(int row) {
    return row * grid_columns;
}

// The first strip of a row; the last row may have fewer.
static long at(long row) {
    return least(row * STRIPS, n);
}

static int strips_in(long from, long to) {
    return (int)(at(to) - at(from));
}

__attribute__((always_inline)) static inline double strip(const float *points, const char *at_sea, long s) {
    double v = element(s);
    for (long i = s * WIDTH; i < (s + 1) * WIDTH; i++)
        if (at_sea[i]) v += points[i];
    return v;
}

static void sum_strips(double *sum, long from, long to) {
    for (long s = from; s < to; s++) {
        sum[s] = strip(field, sea, s);
        worked(1);
    }
}

static void compute(void) {
    sum_strips(strips[column], 0, n);
}

static void add_strips(int from_column, long row) {
    double *v = sums[grid_row] + row;
    if (from_column == 0) *v = 0;
    for (long s = at(row); s < at(row + 1); s++) *v += strips[from_column][s];
}

static void add_sums(int from_row, long from, long to) {
    for (long j = from; j < to; j++) total += sums[from_row][j];
}

static void tell_all(void) {
    MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

// All ranks of a row of the grid but its head.
__attribute__((noinline)) static void tell_head(double *restrict own, const float *restrict points,
                                                const char *restrict at_sea, long n, int head) {
    for (long s = 0; s < n; s++) {
        own[s] = strip(points, at_sea, s);
        worked(1);
    }
    MPI_Send(own, (int)n, MPI_DOUBLE, head, TO_HEAD, MPI_COMM_WORLD);
}

static void plain(void) {
    if (column > 0) {
        tell_head(strips[column], field, sea, n, head_of(grid_row));
    } else {
        sum_strips(strips[column], 0, n);
        for (int c = 0; c < grid_columns; c++) {
            if (c > 0) MPI_Recv(strips[c], (int)n, MPI_DOUBLE, rank + c, TO_HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (long j = 0; j < rows; j++) add_strips(c, j);
        }
        if (rank > 0) MPI_Send(sums[grid_row], (int)rows, MPI_DOUBLE, 0, TO_FIRST, MPI_COMM_WORLD);
    }
    for (int r = 0; rank == 0 && r < grid_rows; r++) {
        if (r > 0) MPI_Recv(sums[r], (int)rows, MPI_DOUBLE, head_of(r), TO_FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add_sums(r, 0, rows);
    }
    tell_all();
}

// A head completes row after row: each needs what has just come.
static void delta(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (column > 0)
        MPIX_Delta_send_begin(strips[column], (int)n, MPI_DOUBLE, head_of(grid_row), TO_HEAD, MPI_COMM_WORLD, &request);
    else if (rank > 0)
        MPIX_Delta_send_begin(sums[grid_row], (int)rows, MPI_DOUBLE, 0, TO_FIRST, MPI_COMM_WORLD, &request);
    const int others = column == 0 ? grid_columns : 0;
    for (int c = 1; c < others; c++)
        MPIX_Delta_recv(strips[c], (int)n, MPI_DOUBLE, rank + c, TO_HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long j = 0; j < rows; j++) {
        sum_strips(strips[column], at(j), at(j + 1));
        const size_t bytes = (size_t)strips_in(j, j + 1) * sizeof(double);
        for (int c = 0; c < others; c++) {
            if (c > 0) MPIX_Delta_wait_data(strips[c] + at(j), bytes);
            add_strips(c, j);
        }
        if (column > 0)
            MPIX_Delta_send_data(strips[column] + at(j), bytes);
        else if (rank > 0)
            MPIX_Delta_send_data(sums[grid_row] + j, sizeof(double));
    }
    if (rank > 0) MPIX_Delta_send_end(&request);
    for (int c = 1; c < others; c++) MPIX_Delta_recv_end(strips[c], MPI_STATUS_IGNORE);
    for (int r = 0; rank == 0 && r < grid_rows; r++) {
        if (r > 0)
            MPIX_Delta_recv(sums[r], (int)rows, MPI_DOUBLE, head_of(r), TO_FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long a = 0; a < rows; a += STRIP) {
            long b = least(a + STRIP, rows);
            if (r > 0) MPIX_Delta_wait_data(sums[r] + a, (size_t)(b - a) * sizeof(double));
            add_sums(r, a, b);
        }
        if (r > 0) MPIX_Delta_recv_end(sums[r], MPI_STATUS_IGNORE);
    }
    if (rank > 0) MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    tell_all();
}

static MPI_Request *going, **coming, *ended; // chunks of strips, to a head and from each column; sums, from each row

static void post_sums(void) {
    for (int r = 1; rank == 0 && r < grid_rows; r++)
        MPI_Irecv(sums[r], (int)rows, MPI_DOUBLE, head_of(r), TO_FIRST, MPI_COMM_WORLD, &ended[r]);
}

static void finish_sums(void) {
    if (column == 0 && rank > 0) MPI_Send(sums[grid_row], (int)rows, MPI_DOUBLE, 0, TO_FIRST, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < grid_rows; r++) {
        if (r > 0) MPI_Wait(&ended[r], MPI_STATUS_IGNORE);
        add_sums(r, 0, rows);
    }
    tell_all();
}

// Strips leave in chunks of whole rows; the sums, which are few, as one message.
static void hand(long chunk_bytes) {
    const long chunk = chunk_bytes < STRIPS * 8 ? 1 : chunk_bytes / (STRIPS * 8);
    const int others = column == 0 ? grid_columns : 0;
    post_sums();
    for (int c = 1; c < others; c++)
        for (long a = 0, k = 0; a < rows; a += chunk, k++)
            MPI_Irecv(strips[c] + at(a), strips_in(a, a + chunk), MPI_DOUBLE, rank + c, TO_HEAD, MPI_COMM_WORLD,
                      &coming[c][k]);
    int k = 0;
    for (long a = 0; a < rows; a += chunk, k++) {
        const long b = least(a + chunk, rows);
        sum_strips(strips[column], at(a), at(b));
        for (int c = 0; c < others; c++) {
            if (c > 0) MPI_Wait(&coming[c][k], MPI_STATUS_IGNORE);
            for (long j = a; j < b; j++) add_strips(c, j);
        }
        if (column > 0)
            MPI_Isend(strips[column] + at(a), strips_in(a, b), MPI_DOUBLE, head_of(grid_row), TO_HEAD, MPI_COMM_WORLD,
                      &going[k]);
    }
    if (column > 0) MPI_Waitall(k, going, MPI_STATUSES_IGNORE);
    finish_sums();
}

// A head's own strips and sums, while those of the others are on their way.
static void independent(void) {
    const int others = column == 0 ? grid_columns : 0;
    post_sums();
    for (int c = 1; c < others; c++)
        MPI_Irecv(strips[c], (int)n, MPI_DOUBLE, rank + c, TO_HEAD, MPI_COMM_WORLD, &coming[c][0]);
    compute();
    if (column > 0)
        MPI_Isend(strips[column], (int)n, MPI_DOUBLE, head_of(grid_row), TO_HEAD, MPI_COMM_WORLD, &going[0]);
    for (int c = 0; c < others; c++) {
        if (c > 0) MPI_Wait(&coming[c][0], MPI_STATUS_IGNORE);
        for (long j = 0; j < rows; j++) add_strips(c, j);
    }
    if (column > 0) MPI_Wait(&going[0], MPI_STATUS_IGNORE);
    finish_sums();
}

static void message(void) { // rank 1 to its head: a link with nothing else on it
    if (rank == 1) MPI_Send(strips[1], (int)n, MPI_DOUBLE, 0, TO_HEAD, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(strips[1], (int)n, MPI_DOUBLE, 1, TO_HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return 1;
}

static void *need(void *memory) {
    if (!memory) give_up("no memory for %ld bytes", option.bytes);
    return memory;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    n = option.elements;
    rows = (n + STRIPS - 1) / STRIPS;
    for (int r = 1; r * r <= ranks; r++) // as near to a square as their number allows
        if (ranks % r == 0) grid_rows = r;
    grid_columns = ranks / grid_rows;
    grid_row = rank / grid_columns;
    column = rank % grid_columns;

    strips = need(calloc((size_t)grid_columns, sizeof *strips));
    coming = need(calloc((size_t)grid_columns, sizeof *coming));
    for (int c = 0; c < grid_columns; c++) {
        strips[c] = need(own_pages((size_t)n * sizeof(double)));
        coming[c] = need(calloc((size_t)rows, sizeof **coming));
    }
    sums = need(calloc((size_t)grid_rows, sizeof *sums));
    for (int r = 0; r < grid_rows; r++) sums[r] = need(own_pages((size_t)(rows + 1) * sizeof(double)));
    ended = need(calloc((size_t)grid_rows, sizeof *ended));
    going = need(calloc((size_t)rows, sizeof *going));

    const long points = n * WIDTH;
    field = need(malloc((size_t)points * sizeof *field));
    sea = need(malloc((size_t)points));
    for (long i = 0; i < points; i++) {
        field[i] = (float)((i * 31 + rank) % 1009) / 1009;
        sea[i] = (i / 200 + rank) % 5 != 0; // coasts
    }
}

static void reset(void) {
    for (int c = 0; c < grid_columns; c++) memset(strips[c], 0xff, (size_t)n * sizeof(double));
    for (int r = 0; r < grid_rows; r++) memset(sums[r], 0xff, (size_t)rows * sizeof(double));
    total = 0;
}

static struct Result result(void) { // the sums of a head's rows; for all ranks, the total
    sums[grid_row][rows] = total;
    return (struct Result){sums[grid_row], (size_t)(rows + 1) * sizeof(double)};
}

const struct Kernel *kernel(void) {
    static const struct Kernel hycom = {.name = "hycom",
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
    return &hycom;
}
