// fft3d: the Fourier transform of a field of 64 columns (x), 16 p rows (y) and planes (z) by p ranks. Each has a slab of planes, transforms them
// in x and y by FFTW, sends every other rank its 16 rows of them, and transforms the lines in z that have come together.
//
//   plain = Tc + Tm     ideal = max(Tc, Tm)     Tm: the p-1 blocks of one rank through its link
//
// So at most twice as fast, where Tc = Tm.
//
// A plane may leave when it has been transformed, several together (SC07, 5.2). But if all leave so, every line is complete
// only with the last of them, and no work in z is under messages: max(2/3 Tc, Tm) + Tc/3. So only two thirds leave by planes. The last
// third, which takes as long as all work in z where Tc = Tm, is cut by columns: each of these pieces completes its lines, to be transformed
// while the next is on its way. Plain computes in this order, too, and has one MPI_Alltoall between making pieces and using them: no compiler
// changes the order in which a program computes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fourier.h"

enum { COLUMNS = 64, ROWS = 16, TOGETHER = COLUMNS / 16, SAMPLE_COLUMN = 5, SAMPLE_ROW = 3 };

// What leaves at once to each rank, there as [column][row][plane]: whole planes, or columns of the last third of them.
struct Piece {
    long first_plane, end_plane, first_column, end_column;
    long at, apart; // where those of rank 0 are in `leaving` and `coming`, and those of the next rank behind them
};

static long planes, block;      // of each rank's slab; points that go to each rank
static Point *field, *slab;     // [plane][row of all][column]: the input, and what becomes of it
static Point *leaving, *coming; // piece after piece
static Point *lines;            // [column][row][plane of all]
static fftw_plan of_plane, of_lines;
static struct Piece *pieces;
static long pieces_cut, points_cut; // points to each rank
static MPI_Request *going;          // of each piece, by hand
static int *taken, *put;            // plain: of each point of a block, where it lies in the slab, and in the lines
static int begun, *which;
static Point *sample; // of each rank

static long all_rows(void) {
    return (long)ROWS * ranks;
}
static long all_planes(void) {
    return planes * ranks;
}
static long points(void) { // of a slab, and of the lines in it
    return planes * all_rows() * COLUMNS;
}

static void look(void) {
    int done;
    if (begun > 0) MPI_Testsome(begun, going, &done, which, MPI_STATUSES_IGNORE);
}

double fft3d_effort; // what the work comes to: read by nobody, but no compiler may know that

// The work of a point's three axes is three parts; FFTW takes less than --ratio wants, and element() the rest.
__attribute__((always_inline)) static inline void work(long planes, long first_part, long parts) {
    const long all = 3 * COLUMNS * planes;
    const long first = option.elements * first_part / all, end = option.elements * (first_part + parts) / all;
    double sum = 0;
    for (long i = first; i < end; i++) sum += element(i);
    fft3d_effort += sum;
    worked(end - first);
}

__attribute__((always_inline)) static inline void transform_plane(Point *slab, long planes, long rows, long plane) {
    Point *at = slab + plane * rows * COLUMNS;
    fftw_execute_dft(of_plane, at, at);
    work(planes, 2 * COLUMNS * plane, 2 * COLUMNS);
}

__attribute__((always_inline)) static inline void transform_column(Point *lines, long planes, long deep, long column) {
    Point *at = lines + column * ROWS * deep;
    fftw_execute_dft(of_lines, at, at);
    work(planes, planes * (2 * COLUMNS + column), planes);
}

static void transform_planes(long first, long end) {
    for (long plane = first; plane < end; plane++) {
        transform_plane(slab, planes, all_rows(), plane);
        look();
    }
}

static void transform_lines(long first_column, long end) {
    for (long column = first_column; column < end; column++) {
        transform_column(lines, planes, all_planes(), column);
        look();
    }
}

static long to_each(const struct Piece *piece) {
    return (piece->end_plane - piece->first_plane) * ROWS * (piece->end_column - piece->first_column);
}

static void pack(const struct Piece *piece) {
    const long depth = piece->end_plane - piece->first_plane;
    for (long plane = 0; plane < depth; plane++)
        for (long row = 0; row < all_rows(); row++) {
            const Point *from = slab + ((piece->first_plane + plane) * all_rows() + row) * COLUMNS;
            Point *to = leaving + piece->at + row / ROWS * piece->apart + row % ROWS * depth + plane;
            for (long column = piece->first_column; column < piece->end_column; column++, to += ROWS * depth)
                *to = from[column];
        }
}

static void unpack(const struct Piece *piece) {
    const long depth = piece->end_plane - piece->first_plane;
    for (int r = 0; r < ranks; r++) {
        const Point *from = coming + piece->at + r * piece->apart;
        for (long line = piece->first_column * ROWS; line < piece->end_column * ROWS; line++, from += depth)
            memcpy(lines + line * all_planes() + r * planes + piece->first_plane, from, (size_t)depth * sizeof *from);
    }
}

// A point of each rank's result, by the sum that defines it.
static long sample_at(void) {
    return (SAMPLE_COLUMN * ROWS + SAMPLE_ROW) * all_planes() + all_planes() / 3;
}

static void sum_samples(void) {
    for (int r = 0; r < ranks; r++) {
        sample[r] = 0;
        for (long plane = 0; plane < planes; plane++)
            for (long row = 0; row < all_rows(); row++) {
                Point sum = 0;
                for (long column = 0; column < COLUMNS; column++)
                    sum += field[(plane * all_rows() + row) * COLUMNS + column] * root(SAMPLE_COLUMN * column, COLUMNS);
                sample[r] += sum * root((r * ROWS + SAMPLE_ROW) * row, all_rows()) *
                             root(all_planes() / 3 * (rank * planes + plane), all_planes());
            }
    }
    MPI_Allreduce(MPI_IN_PLACE, sample, ranks, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
}

static void check(void) {
    wrong += !(cabs(lines[sample_at()] - sample[rank]) < 1e-9 * (double)(points() * ranks)); // of values up to 1
}

static struct Piece whole_slab(void) {
    return (struct Piece){0, planes, 0, COLUMNS, 0, block};
}

// Plain: a block has as many pieces as planes, all of the points of a plane: the first ones are planes; the last ones, about a third, have
// so many columns of all planes that are left.
enum { PIECE = ROWS * COLUMNS };

static long left_for_columns(void) {
    long left = 1; // which also says how many columns a piece has: COLUMNS / left
    while (2 * left <= COLUMNS && 3 * left <= planes) left *= 2;
    return left;
}

static void set_order(void) {
    const long left = left_for_columns(), first = planes - left, width = COLUMNS / left;
    for (long k = 0; k < planes; k++)
        for (long at = 0; at < PIECE; at++) {
            const int is_plane = k < first;
            const long row = is_plane ? at / COLUMNS : at / left % ROWS;
            const long column = is_plane ? at % COLUMNS : (k - first) * width + at / left / ROWS;
            const long plane = is_plane ? k : first + at % left;
            taken[k * PIECE + at] = (int)((plane * all_rows() + row) * COLUMNS + column);
            put[k * PIECE + at] = (int)((column * ROWS + row) * all_planes() + plane);
        }
}

// A procedure with arguments, as it is in Fortran: no two of them overlap.
__attribute__((noinline)) static void transform(Point *restrict slab, Point *restrict leaving, Point *restrict coming,
                                                Point *restrict lines, const int *restrict taken,
                                                const int *restrict put, long planes, long left, long ranks) {
    const long first = planes - left, width = COLUMNS / left, block = planes * PIECE;
    for (long k = 0; k < planes; k++) {
        const long end = k < first ? k + 1 : k == first ? planes : k;
        for (long plane = k; plane < end; plane++) transform_plane(slab, planes, ROWS * ranks, plane);
        for (long r = 0; r < ranks; r++)
            for (long at = 0; at < PIECE; at++)
                leaving[r * block + k * PIECE + at] = slab[r * PIECE + taken[k * PIECE + at]];
    }
    MPI_Alltoall(leaving, (int)block, MPI_C_DOUBLE_COMPLEX, coming, (int)block, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
    for (long k = 0; k < planes; k++) {
        for (long r = 0; r < ranks; r++)
            for (long at = 0; at < PIECE; at++)
                lines[r * planes + put[k * PIECE + at]] = coming[r * block + k * PIECE + at];
        const long column = (k - first) * width;
        for (long c = column; k >= first && c < column + width; c++) transform_column(lines, planes, planes * ranks, c);
    }
}

static void plain(void) {
    transform(slab, leaving, coming, lines, taken, put, planes, left_for_columns(), ranks);
    check();
}

// All but the last third.
static long by_planes(void) {
    return planes - (planes + 2) / 3;
}

static void cut(struct Piece piece, void (*leave)(struct Piece *)) {
    pieces[pieces_cut] = piece;
    leave(&pieces[pieces_cut++]);
    points_cut += to_each(&piece);
}

// So many planes together, and so many columns.
static void transform_and_leave(long depth, long width, void (*leave)(struct Piece *)) {
    pieces_cut = points_cut = 0;
    for (long plane = 0; plane < by_planes(); plane += depth) {
        const long end = least(plane + depth, by_planes());
        transform_planes(plane, end);
        cut((struct Piece){plane, end, 0, COLUMNS, 0, 0}, leave);
    }
    transform_planes(by_planes(), planes);
    for (long column = 0; column < COLUMNS; column += width)
        cut((struct Piece){by_planes(), planes, column, least(column + width, COLUMNS), 0, 0}, leave);
}

static void use_and_transform(void (*wait)(const struct Piece *)) {
    for (const struct Piece *piece = pieces; piece < pieces + pieces_cut; piece++) {
        wait(piece);
        unpack(piece);
        if (piece->end_plane == planes) transform_lines(piece->first_column, piece->end_column);
    }
    check();
}

// With Stretto: one operation for what goes by planes, one for what goes by columns, and each plane, each few columns, leave and are waited
// for by themselves. That is better than Stretto's MPI_Ialltoall for each piece where an operation ends when its sends do: MPICH's all end
// with the last, long after pieces have come. Two operations, as their lanes are sixteenths: of one, 6 columns and more would come at once.
static long of_planes(void) {
    return by_planes() * ROWS * COLUMNS;
}

static void may_leave(struct Piece *piece) {
    const int by_columns = piece->end_plane == planes;
    piece->at = by_columns ? ranks * of_planes() + points_cut - of_planes() : points_cut;
    piece->apart = by_columns ? block - of_planes() : of_planes();
    pack(piece);
    for (int k = 1; k <= ranks; k++)
        MPIX_Delta_send_data(leaving + piece->at + (rank + k) % ranks * piece->apart,
                             (size_t)to_each(piece) * sizeof(Point));
}

static void must_have_come(const struct Piece *piece) {
    for (int r = 0; r < ranks; r++)
        MPIX_Delta_wait_data(coming + piece->at + r * piece->apart, (size_t)to_each(piece) * sizeof(Point));
}

static void begin(long at, long each, MPI_Request *request) {
    MPIX_Delta_alltoall_begin(leaving + at, (int)each, MPI_C_DOUBLE_COMPLEX, coming + at, (int)each,
                              MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, request);
}

static void delta(void) {
    MPI_Request by[2];
    begin(0, of_planes(), &by[0]);
    begin(ranks * of_planes(), block - of_planes(), &by[1]);
    transform_and_leave(1, TOGETHER, may_leave);
    MPIX_Delta_collective_end(&by[0]);
    MPIX_Delta_collective_end(&by[1]);
    use_and_transform(must_have_come);
    MPI_Waitall(2, by, MPI_STATUSES_IGNORE);
}

// By hand: an operation for each piece.
static void leave_alone(struct Piece *piece) {
    piece->at = points_cut * ranks;
    piece->apart = to_each(piece);
    pack(piece);
    MPI_Ialltoall(leaving + piece->at, (int)piece->apart, MPI_C_DOUBLE_COMPLEX, coming + piece->at, (int)piece->apart,
                  MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD, &going[begun++]);
}

static void wait_alone(const struct Piece *piece) {
    MPI_Wait(&going[piece - pieces], MPI_STATUS_IGNORE);
}

// The same by messages: of each piece one to each other rank, and one from it.
static int of_a_piece(void) {
    return 2 * (ranks - 1);
}

static void leave_by_messages(struct Piece *piece) {
    piece->at = points_cut * ranks;
    piece->apart = to_each(piece);
    pack(piece);
    const int tag = (int)(piece - pieces), points_each = (int)piece->apart;
    for (int k = 1; k < ranks; k++) {
        const int from = (rank + ranks - k) % ranks, to = (rank + k) % ranks;
        MPI_Irecv(coming + piece->at + from * piece->apart, points_each, MPI_C_DOUBLE_COMPLEX, from, tag,
                  MPI_COMM_WORLD, &going[begun++]);
        MPI_Isend(leaving + piece->at + to * piece->apart, points_each, MPI_C_DOUBLE_COMPLEX, to, tag, MPI_COMM_WORLD,
                  &going[begun++]);
    }
    const long own = piece->at + rank * piece->apart;
    memcpy(coming + own, leaving + own, (size_t)piece->apart * sizeof *coming);
}

static void wait_for_messages(const struct Piece *piece) {
    MPI_Waitall(of_a_piece(), going + (piece - pieces) * of_a_piece(), MPI_STATUSES_IGNORE);
}

static void by_pieces(long bytes, void (*leave)(struct Piece *), void (*wait)(const struct Piece *)) {
    const long plane = PIECE * (long)sizeof(Point), column = ROWS * (planes - by_planes()) * (long)sizeof(Point);
    transform_and_leave(1 + (bytes - 1) / plane, 1 + (bytes - 1) / column, leave);
    use_and_transform(wait);
    begun = 0;
}

static void hand(long bytes) {
    by_pieces(bytes, leave_alone, wait_alone);
}

static void tiled(long bytes) {
    by_pieces(bytes, leave_by_messages, wait_for_messages);
}

static void message(void) {
    send_blocks_of_rank_0(leaving, coming, block);
}

static int hops(void) {
    return 1;
}

static void compute(void) {
    const struct Piece all = whole_slab();
    transform_planes(0, planes);
    pack(&all);
    unpack(&all);
    transform_lines(0, COLUMNS);
}

// A volume has a byte for each point; of a short one the points behind its end are its first again.
static int read_volume(const char *path) {
    FILE *in = fopen(path, "rb");
    unsigned char *volume = malloc((size_t)points());
    int is_read = in && volume && fseek(in, 0, SEEK_END) == 0;
    const long bytes = is_read ? ftell(in) : 0;
    is_read = bytes > 0;
    for (long have = 0; is_read && have < points();) {
        is_read = fseek(in, (rank * points() + have) % bytes, SEEK_SET) == 0;
        const size_t more = is_read ? fread(volume + have, 1, (size_t)(points() - have), in) : 0;
        is_read = more > 0;
        have += (long)more;
    }
    for (long k = 0; is_read && k < points(); k++) field[k] = volume[k] / 255.0;
    free(volume);
    if (in) fclose(in);
    return is_read;
}

static void set_up(void) {
    const long of_a_plane = ROWS * COLUMNS * (long)sizeof(Point);
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (option.bytes % of_a_plane) give_up("--bytes %ld: want a multiple of %ld", option.bytes, of_a_plane);
    planes = option.bytes / of_a_plane;
    block = option.bytes / (long)sizeof(Point);
    field = room_for(points()), slab = room_for(points()), lines = room_for(points());
    leaving = room_for(points()), coming = room_for(points());
    const int sides[] = {(int)all_rows(), COLUMNS}, length = (int)all_planes();
    of_plane = fftw_plan_dft(2, sides, slab, slab, FFTW_FORWARD, FFTW_ESTIMATE);
    of_lines = fftw_plan_many_dft(1, &length, ROWS, lines, NULL, 1, length, lines, NULL, 1, length, FFTW_FORWARD,
                                  FFTW_ESTIMATE);
    pieces = calloc((size_t)planes + COLUMNS, sizeof *pieces);
    const long messages = (planes + COLUMNS) * of_a_piece();
    which = calloc((size_t)messages, sizeof *which);
    taken = calloc((size_t)block, sizeof *taken), put = calloc((size_t)block, sizeof *put);
    sample = calloc((size_t)ranks, sizeof *sample);
    going = no_requests(messages);
    if (!of_plane || !of_lines || !pieces || !which || !sample || !taken || !put)
        give_up("no memory for %ld planes", planes);
    set_order();
    for (long k = 0; k < points(); k++) field[k] = (double)((rank * points() + k) % 7919 * 7907 % 7919) / 7919;
    int is_read = !option.file || read_volume(option.file), all_read;
    MPI_Allreduce(&is_read, &all_read, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_read) give_up("%s: cannot be read as a file by every rank", option.file);
    sum_samples();
}

static void reset(void) {
    memcpy(slab, field, (size_t)points() * sizeof *slab);
    memset(leaving, 0xff, (size_t)points() * sizeof *leaving);
    memset(coming, 0xff, (size_t)points() * sizeof *coming);
    memset(lines, 0xff, (size_t)points() * sizeof *lines);
}

static struct Result result(void) {
    return (struct Result){lines, (size_t)points() * sizeof *lines};
}

const struct Kernel *kernel(void) {
    static const struct Kernel fft3d = {.name = "fft3d",
                                        .set_up = set_up,
                                        .reset = reset,
                                        .message = message,
                                        .message_hops = hops,
                                        .compute = compute,
                                        .plain = plain,
                                        .delta = delta,
                                        .hand = hand,
                                        .tiled = tiled,
                                        .result = result};
    return &fft3d;
}
