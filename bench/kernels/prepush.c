// The loops of Danalis et al., Transformations to Parallel Codes (SC05), section 5: transforms one after another, by FFTW, each of whose results is
// for all ranks. Only these loops and their exchange are timed, as there; nobody uses yet what has come.
//
//   visco     one field, of planes of 30 p x 48 points, transformed in two dimensions each
//   magnet    four fields one after another, of rows of 64 p points
//
// A message is a block from one rank to another. By default blocks are those that 16 ranks have of the paper's 480 x 480 x 48 and
// 1024 x 1024 x 4 points: 30 planes, 64 rows. So the fields grow with the number of ranks.
//
//   plain = F (Tc + Tm)     ideal = F max(Tc, Tm)     F fields; Tm: the p-1 blocks of one rank through its link
//
// So at most twice as fast, where Tc = Tm.
#include <stdlib.h>
#include <string.h>

#include "kernels/fourier.h"

// PART: points of a unit, which is transformed at a time, that go to one rank.
#ifdef MAGNET
enum { FIELDS = 4, ROWS = 1, LENGTH = 64, SAMPLE_ROW = 0, SAMPLE = 5 };
#define NAME "magnet"
#else
enum { FIELDS = 1, ROWS = 30, LENGTH = 48, SAMPLE_ROW = 7, SAMPLE = 5 };
#define NAME "visco"
#endif
enum { PART = ROWS * LENGTH };

static long units, block;                  // of each field, and of each rank; points of a message
static Point *field, *slab;                // [field][unit][rank][PART]: the input, and what becomes of it
static Point *leaving, *coming, *in_order; // of each field: tile by tile [rank][unit][PART]
static long together;                      // units of a tile
static fftw_plan of_unit;
static MPI_Request *going; // of a field
static int begun, *which;
static Point *sample; // [field][rank]

// One-sided: `coming`, and how many tiles each rank has put, of all fields so far.
static MPI_Win into = MPI_WIN_NULL, told;
static long *put_by, tiles_put, put_before; // of this rank's own; those of the fields before
static int puts_are_used;

static long of_field(void) {
    return units * ranks * PART;
}
static long points(void) {
    return FIELDS * of_field();
}

static void let_library_progress(void) {
    int is_here;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_here, MPI_STATUS_IGNORE);
}

// By hand: between two transforms.
static void look(void) {
    int done;
    if (begun > 0) MPI_Testsome(begun, going, &done, which, MPI_STATUSES_IGNORE);
    if (puts_are_used) let_library_progress();
}

double prepush_effort; // what the work comes to: read by nobody, but no compiler may know that

// FFTW takes less than --ratio wants, and element() the rest.
__attribute__((always_inline)) static inline void transform_unit(Point *slab, long units, long ranks, long unit) {
    Point *at = slab + unit * ranks * PART;
    fftw_execute_dft(of_unit, at, at);
    const long first = option.elements * unit / units, end = option.elements * (unit + 1) / units;
    double sum = 0;
    for (long i = first; i < end; i++) sum += element(i);
    prepush_effort += sum;
    worked(end - first);
}

// A procedure with arguments, as it is in Fortran: no two of them overlap.
__attribute__((noinline)) static void transform(Point *restrict slab, Point *restrict leaving, Point *restrict coming,
                                                long units, long ranks) {
    const long block = units * PART;
    for (long unit = 0; unit < units; unit++) {
        transform_unit(slab, units, ranks, unit);
        for (long r = 0; r < ranks; r++)
            for (long at = 0; at < PART; at++)
                leaving[r * block + unit * PART + at] = slab[(unit * ranks + r) * PART + at];
    }
    MPI_Alltoall(leaving, (int)block, MPI_C_DOUBLE_COMPLEX, coming, (int)block, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
}

static long least_of_tile(long first) {
    return least(together, units - first);
}

// Where a tile is in `leaving` and `coming`: rank 0's part of it; the next rank's is a tile behind it.
static long tile_at(long field, long first) {
    return field * of_field() + first * ranks * PART;
}

// A point of each block, by the sum that defines it.
static void check(void) {
    const long unit = units / 3, first = unit / together * together, depth = least_of_tile(first);
    for (long f = 0; f < FIELDS; f++)
        for (int r = 0; r < ranks; r++) {
            const long at = tile_at(f, first) + (r * depth + unit - first) * PART + SAMPLE_ROW * LENGTH + SAMPLE;
            wrong += !(cabs(coming[at] - sample[f * ranks + r]) < 1e-9 * (double)(ranks * PART)); // of values up to 1
        }
}

static void plain(void) {
    together = units;
    for (long f = 0; f < FIELDS; f++)
        transform(slab + f * of_field(), leaving + f * of_field(), coming + f * of_field(), units, ranks);
    check();
}

// A tile's parts, as they leave.
static void make_tile(long f, long first, long depth) {
    for (long unit = first; unit < first + depth; unit++) {
        transform_unit(slab + f * of_field(), units, ranks, unit);
        for (long r = 0; r < ranks; r++)
            memcpy(leaving + tile_at(f, first) + (r * depth + unit - first) * PART,
                   slab + f * of_field() + (unit * ranks + r) * PART, PART * sizeof(Point));
        look();
    }
}

static void delta(void) {
    together = units;
    for (long f = 0; f < FIELDS; f++) {
        Point *const out = leaving + f * of_field();
        MPI_Request request;
        MPIX_Delta_alltoall_begin(out, (int)block, MPI_C_DOUBLE_COMPLEX, coming + f * of_field(), (int)block,
                                  MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, &request);
        for (long unit = 0; unit < units; unit++) {
            transform_unit(slab + f * of_field(), units, ranks, unit);
            for (long k = 1; k <= ranks; k++) {
                const long r = (rank + k) % ranks;
                Point *const part = out + r * block + unit * PART;
                memcpy(part, slab + f * of_field() + (unit * ranks + r) * PART, PART * sizeof(Point));
                MPIX_Delta_send_data(part, PART * sizeof(Point));
            }
        }
        MPIX_Delta_collective_end(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    check();
}

// By hand: so many units together are a tile, which leaves when it has been made, and is waited for `option.depth` tiles later (the paper's K and D,
// figure 2); at the end of its field at the latest.
static void by_tiles(long bytes, void (*leave)(long at, long depth), void (*wait)(long tile)) {
    const long unit_bytes = PART * (long)sizeof(Point);
    together = least(1 + (bytes - 1) / unit_bytes, units);
    for (long f = 0; f < FIELDS; f++) {
        long left = 0, waited = 0; // tiles
        begun = 0, put_before = tiles_put;
        for (long first = 0; first < units; first += together, left++) {
            const long depth = least_of_tile(first);
            make_tile(f, first, depth);
            if (option.depth > 0 && left >= option.depth) wait(waited++);
            leave(tile_at(f, first), depth);
        }
        while (waited < left) wait(waited++);
    }
    begun = 0;
    check();
}

static void leave_by_alltoall(long at, long depth) {
    MPI_Ialltoall(leaving + at, (int)(depth * PART), MPI_C_DOUBLE_COMPLEX, coming + at, (int)(depth * PART),
                  MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, &going[begun++]);
}

static void wait_for_alltoall(long tile) {
    MPI_Wait(&going[tile], MPI_STATUS_IGNORE);
}

static void leave_by_messages(long at, long depth) {
    const long part = depth * PART;
    for (int k = 1; k < ranks; k++) {
        const int from = (rank + ranks - k) % ranks, to = (rank + k) % ranks;
        MPI_Irecv(coming + at + from * part, (int)part, MPI_C_DOUBLE_COMPLEX, from, 0, MPI_COMM_WORLD, &going[begun++]);
        MPI_Isend(leaving + at + to * part, (int)part, MPI_C_DOUBLE_COMPLEX, to, 0, MPI_COMM_WORLD, &going[begun++]);
    }
    memcpy(coming + at + rank * part, leaving + at + rank * part, (size_t)part * sizeof(Point));
}

static void wait_for_messages(long tile) {
    const int of_a_tile = 2 * (ranks - 1);
    MPI_Waitall(of_a_tile, going + tile * of_a_tile, MPI_STATUSES_IGNORE);
}

// At the start of MPI_Finalize, which deletes the attributes of MPI_COMM_SELF.
static int end_windows(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Win_unlock_all(into);
    MPI_Win_unlock_all(told);
    MPI_Win_free(&into);
    MPI_Win_free(&told);
    return MPI_SUCCESS;
}

// Not before they are used: what a library does for a process with windows is not to be part of the other ways.
static void begin_windows(void) {
    int key, error;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error =
        MPI_Win_create(coming, points() * (MPI_Aint)sizeof(Point), sizeof(Point), MPI_INFO_NULL, MPI_COMM_WORLD, &into);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (error != MPI_SUCCESS) give_up("the MPI library has no one-sided communication between these ranks");
    MPI_Win_create(put_by, ranks * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &told);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, into);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, told);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_windows, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

// One-sided (figure 3): a tile is put where it belongs, its flag behind it.
static void leave_by_puts(long at, long depth) {
    const long part = depth * PART;
    for (int k = 1; k < ranks; k++) {
        const int to = (rank + k) % ranks;
        MPI_Put(leaving + at + to * part, (int)part, MPI_C_DOUBLE_COMPLEX, to, at + rank * part, (int)part,
                MPI_C_DOUBLE_COMPLEX, into);
    }
    memcpy(coming + at + rank * part, leaving + at + rank * part, (size_t)part * sizeof(Point));
    MPI_Win_flush_all(into);
    tiles_put++;
    for (int k = 1; k < ranks; k++) MPI_Put(&tiles_put, 1, MPI_LONG, (rank + k) % ranks, rank, 1, MPI_LONG, told);
    MPI_Win_flush_all(told);
}

static void wait_for_puts(long tile) {
    for (int r = 0; r < ranks; r++)
        while (r != rank && *(volatile long *)&put_by[r] <= put_before + tile) {
            let_library_progress();
            MPI_Win_sync(told);
        }
    MPI_Win_sync(into);
}

static void hand(long bytes) {
    by_tiles(bytes, leave_by_alltoall, wait_for_alltoall);
}

static void tiled(long bytes) {
    by_tiles(bytes, leave_by_messages, wait_for_messages);
}

static void puts_by_hand(long bytes) {
    if (into == MPI_WIN_NULL) begin_windows();
    puts_are_used = 1;
    by_tiles(bytes, leave_by_puts, wait_for_puts);
    puts_are_used = 0;
}

static void message(void) {
    send_blocks_of_rank_0(leaving, coming, block);
}

static int hops(void) {
    return 1;
}

// Of one field.
static void compute(void) {
    together = units;
    make_tile(0, 0, units);
}

// For rank r: what this rank sends it, at SAMPLE_ROW and SAMPLE of its part.
static Point sum_of(const Point *unit, int r) {
    Point sum = 0;
    for (long row = 0; row < ROWS * (ROWS > 1 ? ranks : 1); row++)
        for (long at = 0; at < LENGTH * (ROWS > 1 ? 1 : ranks); at++) {
            const Point along =
                ROWS > 1 ? root((r * ROWS + SAMPLE_ROW) * row, (long)ROWS * ranks) * root(SAMPLE * at, LENGTH)
                         : root((r * LENGTH + SAMPLE) * at, (long)LENGTH * ranks);
            sum += unit[row * LENGTH + at] * along;
        }
    return sum;
}

static void exchange_samples(void) {
    Point *mine = calloc((size_t)ranks, sizeof *mine);
    if (!mine) give_up("no memory for %d samples", ranks);
    for (long f = 0; f < FIELDS; f++) {
        for (int r = 0; r < ranks; r++) mine[r] = sum_of(field + f * of_field() + units / 3 * ranks * PART, r);
        MPI_Alltoall(mine, 1, MPI_C_DOUBLE_COMPLEX, sample + f * ranks, 1, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
    }
    free(mine);
}

static void set_up(void) {
    const long of_a_part = PART * (long)sizeof(Point);
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (option.bytes % of_a_part) give_up("--bytes %ld: want a multiple of %ld", option.bytes, of_a_part);
    units = option.bytes / of_a_part;
    block = option.bytes / (long)sizeof(Point);
    field = room_for(points()), slab = room_for(points()), in_order = room_for(points());
    leaving = room_for(points()), coming = room_for(points());
    const int sides[] = {ROWS * ranks, LENGTH}, length = LENGTH * ranks;
    of_unit = ROWS > 1 ? fftw_plan_dft(2, sides, slab, slab, FFTW_FORWARD, FFTW_ESTIMATE)
                       : fftw_plan_dft(1, &length, slab, slab, FFTW_FORWARD, FFTW_ESTIMATE);
    const long messages = units * 2 * ranks;
    which = calloc((size_t)messages, sizeof *which);
    sample = calloc((size_t)(FIELDS * ranks), sizeof *sample);
    going = no_requests(messages);
    put_by = calloc((size_t)ranks, sizeof *put_by);
    if (!of_unit || !which || !sample || !put_by) give_up("no memory for %ld messages", messages);
    for (long k = 0; k < points(); k++) field[k] = (double)((rank * points() + k) % 7919 * 7907 % 7919) / 7919;
    exchange_samples();
}

static void reset(void) {
    memcpy(slab, field, (size_t)points() * sizeof *slab);
    memset(leaving, 0xff, (size_t)points() * sizeof *leaving);
    memset(coming, 0xff, (size_t)points() * sizeof *coming);
    memset(put_by, 0, (size_t)ranks * sizeof *put_by);
    tiles_put = 0;
}

// As MPI_Alltoall leaves it.
static struct Result result(void) {
    for (long f = 0; f < FIELDS; f++)
        for (long first = 0; first < units; first += together)
            for (long r = 0, depth = least_of_tile(first); r < ranks; r++)
                memcpy(in_order + f * of_field() + r * block + first * PART,
                       coming + tile_at(f, first) + r * depth * PART, (size_t)(depth * PART) * sizeof(Point));
    return (struct Result){in_order, (size_t)points() * sizeof *in_order};
}

const struct Kernel *kernel(void) {
    static const struct Kernel prepush = {.name = NAME,
                                          .set_up = set_up,
                                          .reset = reset,
                                          .message = message,
                                          .message_hops = hops,
                                          .compute = compute,
                                          .plain = plain,
                                          .delta = delta,
                                          .hand = hand,
                                          .tiled = tiled,
                                          .puts = puts_by_hand,
                                          .result = result};
    return &prepush;
}
